import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { atMost } from '../helpers/at-most.ts'
import { type Finished, type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { type Config, configure } from './fixtures.ts'

/** A workspace that somebody else has written, and that needs nobody's word: it names a built-in backend at most. */
interface Row {
  readonly what: string
  make(box: Sandbox): unknown
  /** What the user innocently types there; `ralph run -p X` by default. */
  readonly words?: readonly string[]
  readonly env?: (box: Sandbox) => Readonly<Record<string, string>>
  /** Code and, for an error, words of it. */
  readonly ends: readonly [code: number, stderr?: string]
  /** A command that falls into the trap, to show that there is one. */
  readonly trap?: string
}

const CLAUDE: Config = { cli: { backend: 'claude' } }
const RUN = ['run', '-p', 'X', '--max-iterations', '1']
const outside = (box: Sandbox, ...path: string[]): string => join(dirname(box.home), 'outside', ...path)
const link = (box: Sandbox, path: string, to: string): void => {
  mkdirSync(dirname(box.path(path)), { recursive: true })
  symlinkSync(to, box.path(path))
}
const fifo = (box: Sandbox, path: string): Promise<Finished> =>
  box.sh(`mkdir -p "$(dirname ${path})"; rm -f ${path}; mkfifo ${path}`)
const relativePath = ({ home }: Sandbox) => ({ PATH: `.:${join(dirname(home), 'bin')}:${process.env.PATH}` })

const git = (box: Sandbox, more: string): Promise<Finished> =>
  box.sh(`git init -q . && git config user.email a@b && git config user.name n
    echo hello > a.txt; mkdir d; echo sub > d/f; git add a.txt d && git commit -qm x; ${more}`)
const EVIL = '"$PWD/evil.sh"'

const GIT: readonly Row[] = [
  {
    what: 'a monitor of files in .git/config',
    make: (box) => git(box, `git config core.fsmonitor ${EVIL}`),
    trap: 'git status',
    ends: [0],
  },
  {
    what: 'a filter of contents in .git/config',
    make: (box) =>
      git(
        box,
        `echo '*.txt filter=a=b' > .gitattributes; printf '[filter "a=b"]\\n\\tclean = %s\\n\\trequired = true\\n' ${EVIL} >> .git/config
         touch -d '2001-01-01' a.txt; echo hellO > a.txt`,
      ),
    trap: 'git status',
    ends: [0],
  },
  {
    what: 'a program that checks signatures in .git/config, and a signed stash',
    make: (box) =>
      git(
        box,
        `git config log.showSignature true; git config gpg.program ${EVIL}
         signed=$(printf 'tree %s\\nparent %s\\nauthor n <a@b> 1 +0000\\ncommitter n <a@b> 1 +0000\\ngpgsig -----BEGIN PGP SIGNATURE-----\\n x\\n -----END PGP SIGNATURE-----\\n\\nwip\\n' \\
           $(git rev-parse HEAD^{tree}) $(git rev-parse HEAD) | git hash-object -t commit -w --stdin)
         git stash store -m wip $signed`,
      ),
    trap: 'git stash list',
    ends: [0],
  },
  {
    what: 'a missing object, and a program in .git/config to fetch it with',
    make: (box) =>
      git(
        box,
        `tree=$(git rev-parse HEAD:d); rm -f .git/objects/\${tree:0:2}/\${tree:2} .git/index
         git config core.repositoryformatversion 1; git config extensions.partialClone o
         git config remote.o.url "$PWD/d"; git config remote.o.promisor true; git config remote.o.uploadpack ${EVIL}`,
      ),
    trap: 'git status',
    ends: [0],
  },
]

const PROGRAMS: readonly Row[] = [
  {
    what: 'a git where a relative folder of PATH leads',
    make: (box) => git(box, 'cp evil.sh git'),
    env: relativePath,
    trap: 'PATH=".:$PATH" git status',
    ends: [0],
  },
  {
    what: 'a sh, a ralph and a program of the backend where a relative folder of PATH leads',
    make: (box) => box.sh('for name in sh ralph claude grep; do cp evil.sh $name; done'),
    env: relativePath,
    trap: 'PATH=".:$PATH" claude',
    ends: [0],
  },
  {
    what: 'a bunfig.toml that loads a file first',
    make(box) {
      box.write('bunfig.toml', 'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]\n')
      box.write('evil.ts', trace(box))
    },
    ends: [0],
  },
  {
    what: "a tsconfig.json, a package.json and modules that would change what the user's own plugin imports",
    make(box) {
      const plugin = `import { argv } from './argv.ts'\nimport { join } from 'node:path'\n
        export default { name: 'mine', invoke: () => ({ argv: [join('/', argv)], prompt: 'stdin' }) }\n`
      box.write('../home/.config/ralph/plugins/mine.ts', plugin)
      box.write('../home/.config/ralph/plugins/argv.ts', `export const argv = 'bin/cat'\n`)
      box.write('evil.ts', `${trace(box)}export const argv = 'evil'\nexport const join = () => 'evil'\n`)
      const paths = { '*': ['./evil.ts'], './argv.ts': ['./evil.ts'], 'node:path': ['./evil.ts'] }
      box.write('tsconfig.json', JSON.stringify({ compilerOptions: { baseUrl: '.', paths } }))
      box.write('package.json', JSON.stringify({ imports: { 'node:path': './evil.ts' }, browser: paths }))
      for (const name of ['yaml', 'citty', 'path', 'ralph'])
        box.write(`node_modules/${name}/index.js`, trace(box))
    },
    words: [...RUN, '-b', 'mine'],
    ends: [2],
  },
]

const LINK_OUT = 'leads out of the workspace'

const LINKS: readonly Row[] = [
  { what: '.ralph as a link out', make: (box) => link(box, '.ralph', '../outside'), ends: [1, LINK_OUT] },
  {
    what: '.ralph/runs as a link out',
    make: (box) => link(box, '.ralph/runs', '../../outside'),
    ends: [1, LINK_OUT],
  },
  {
    what: '.ralph/diagnostics as a link out',
    make: (box) => link(box, '.ralph/diagnostics', '../../outside'),
    env: () => ({ RALPH_DIAGNOSTICS: '1' }),
    ends: [1, LINK_OUT],
  },
  {
    what: ".ralph/agent as a link out, with somebody's file as the scratchpad",
    make(box) {
      configure(box, { ...CLAUDE, core: { scratchpad: '.ralph/agent/thesis.md' } })
      link(box, '.ralph/agent', '../../outside')
    },
    ends: [1, LINK_OUT],
  },
  {
    what: 'a folder of the scratchpad as a link out',
    make(box) {
      configure(box, { ...CLAUDE, core: { scratchpad: '.ralph/notes/thesis.md' } })
      link(box, '.ralph/notes', '../../outside')
    },
    ends: [0, 'stays as it is'],
  },
  {
    what: "somebody's file outside as the scratchpad",
    make: (box) => configure(box, { ...CLAUDE, core: { scratchpad: '../outside/thesis.md' } }),
    ends: [0, 'stays as it is'],
  },
  {
    what: 'a folder of specs outside',
    make: (box) => configure(box, { ...CLAUDE, core: { specs_dir: '../outside' } }),
    ends: [0],
  },
  {
    what: 'the lock as a link out',
    make: (box) => link(box, '.ralph/loop.lock', '../../outside/new'),
    ends: [1, 'is no file but a link'],
  },
  {
    what: '.ralph as a link out, and `clean`',
    make: (box) => link(box, '.ralph', '../outside'),
    words: ['clean'],
    ends: [1, LINK_OUT],
  },
  {
    what: '.ralph as a link out, and `clean --diagnostics`',
    make: (box) => link(box, '.ralph', '../outside'),
    words: ['clean', '--diagnostics'],
    ends: [1, LINK_OUT],
  },
  {
    what: '.ralph/agent as a link out, with a file as the scratchpad, and `clean`',
    make(box) {
      configure(box, { ...CLAUDE, core: { scratchpad: '.ralph/agent/thesis.md' } })
      link(box, '.ralph/agent', '../../outside')
    },
    words: ['clean'],
    ends: [1, LINK_OUT],
  },
  {
    what: "somebody's file outside as the scratchpad, and `clean`",
    make(box) {
      configure(box, { ...CLAUDE, core: { scratchpad: '.ralph/../../outside/thesis.md' } })
      mkdirSync(box.path('.ralph'))
    },
    words: ['clean'],
    ends: [0],
  },
  {
    what: '.ralph as a link out, and `emit`',
    make: (box) => link(box, '.ralph', '../outside'),
    words: ['emit', 'a.b', 'x'],
    ends: [1, LINK_OUT],
  },
]

const NO_FILE = 'not a regular file'

/** Nothing is waited for, and nothing is read without end. */
const ODD_FILES: readonly Row[] = [
  { what: 'a pipe as the lock', make: (box) => fifo(box, '.ralph/loop.lock'), ends: [1, 'is no file but'] },
  { what: 'a pipe as the stop file', make: (box) => fifo(box, '.ralph/stop-requested'), ends: [0] },
  {
    what: 'an endless device as the stop file',
    make: (box) => link(box, '.ralph/stop-requested', '/dev/zero'),
    ends: [0],
  },
  { what: 'pipes as markers', make: (box) => markers((path) => fifo(box, path)), ends: [0] },
  {
    what: 'pipes as markers, and `emit`',
    make: (box) => markers((path) => fifo(box, path)),
    words: ['emit', 'a.b', 'x'],
    ends: [1, NO_FILE],
  },
  {
    what: 'endless devices as markers, and `emit`',
    make: (box) => markers((path) => link(box, path, '/dev/zero')),
    words: ['emit', 'a.b', 'x'],
    ends: [1, NO_FILE],
  },
  {
    what: 'pipes as markers, and `status`',
    make: (box) => markers((path) => fifo(box, path)),
    words: ['status'],
    ends: [1, 'no earlier run'],
  },
  {
    what: 'a pipe as the events file, and `emit`',
    make: (box) => fifo(box, '.ralph/events.jsonl'),
    words: ['emit', 'a.b', 'x'],
    ends: [1, NO_FILE],
  },
  {
    what: 'a pipe as the events file, and `events`',
    make: (box) => fifo(box, '.ralph/events.jsonl'),
    words: ['events'],
    ends: [1, NO_FILE],
  },
  { what: 'a pipe as the scratchpad', make: (box) => fifo(box, '.ralph/agent/scratchpad.md'), ends: [0] },
  {
    what: 'an endless device as the scratchpad',
    make: (box) => link(box, '.ralph/agent/scratchpad.md', '/dev/zero'),
    ends: [0],
  },
  { what: 'a pipe as ralph.yml', make: (box) => fifo(box, 'ralph.yml'), ends: [1, NO_FILE] },
  {
    what: 'an endless device as a hat that is imported',
    make(box) {
      configure(box, { ...CLAUDE, hats: { a: { import: './zero.yml' } } })
      link(box, 'zero.yml', '/dev/zero')
    },
    ends: [1, NO_FILE],
  },
  {
    what: 'a ralph.yml of gigabytes',
    make: (box) => truncateSync(box.path('ralph.yml'), 3_000_000_000),
    ends: [1, 'larger than'],
  },
  {
    what: 'a ralph.yml whose aliases multiply',
    make(box) {
      const next = (name: string, of: string): string => `${name}: &${name} [${`*${of}, `.repeat(9)}x]\n`
      const names = [...'abcdefghij']
      box.write(
        'ralph.yml',
        `a: &a [x]\n${names
          .slice(1)
          .map((name, i) => next(name, names[i] ?? ''))
          .join('')}`,
      )
    },
    ends: [1, 'more than 100000 values'],
  },
  {
    what: 'a pipe as PROMPT.md',
    make: (box) => fifo(box, 'PROMPT.md'),
    words: ['run', '--max-iterations', '1'],
    ends: [1, NO_FILE],
  },
  {
    what: 'an endless device as event_loop.prompt_file',
    make: (box) => configure(box, { ...CLAUDE, event_loop: { prompt_file: '/dev/zero' } }),
    words: ['run', '--max-iterations', '1'],
    ends: [1, NO_FILE],
  },
  {
    what: 'pipes as a preset and a plugin, and `presets list`',
    make: (box) => Promise.all([fifo(box, 'presets/a.yml'), fifo(box, '.ralph/plugins/a.ts')]),
    words: ['presets', 'list'],
    ends: [0],
  },
]

async function markers(place: (path: string) => unknown): Promise<void> {
  for (const name of ['current-events', 'current-loop-id']) await place(`.ralph/${name}`)
}

describe.concurrent('a hostile workspace that needs no trust executes nothing, writes nothing outside, and is never waited for', () => {
  const atOnce = atMost(4)
  test.each([...GIT, ...PROGRAMS, ...LINKS, ...ODD_FILES])('$what', (row) => atOnce(() => tempt(row)))
})

async function tempt(row: Row): Promise<void> {
  await using box = sandbox()
  box.script('evil.sh', `#!/bin/bash\n: > '${mark(box)}'\nexit 1\n`)
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'LOOP_COMPLETE' }
  box.script('../bin/claude', `#!/bin/bash\ncat > /dev/null\necho '${JSON.stringify(result)}'\n`)
  configure(box, CLAUDE)
  box.write('../outside/thesis.md', 'years of work')
  box.write('../outside/events-1.jsonl', 'mine')
  box.write('../outside/diagnostics/a.txt', 'mine')
  await row.make(box)
  const before = contents(outside(box))
  expect(existsSync(mark(box))).toBe(false)

  const env = { RALPH_TRUST: '', ...withPath(box), ...row.env?.(box) }
  const started = box.start(row.words ?? RUN, { env })
  const done = await started.finished
  const [code, words = ''] = row.ends
  expect(done.stderr).toContain(words)
  expect(done.code).toBe(code)
  expect(contents(outside(box))).toEqual(before)
  expect(existsSync(mark(box))).toBe(false)

  if (row.trap !== undefined) await box.sh(`timeout 10 bash -c '${row.trap}'`)
  expect(existsSync(mark(box))).toBe(row.trap !== undefined)
}

test('names of a workspace reach a terminal without anything that it would obey', async () => {
  await using box = sandbox()
  const hostile = '\u001b]0;pwned\u0007\u001b[31mred\u001b[2J'
  const hat = { name: hostile, description: hostile, triggers: ['work.*'], publishes: ['LOOP_COMPLETE'] }
  configure(box, { cli: { backend: 'mock' }, hats: { a: hat } })
  writeFileSync(box.write(`.ralph/agent/${hostile.replaceAll('/', '')}\nnote.md`, 'x'), 'x')
  for (const words of [
    RUN,
    [...RUN, '-v'],
    ['run', '-p', 'X', '--dry-run'],
    ['hats', 'list'],
    ['hats', 'show', 'a'],
    ['hats', 'graph'],
    ['doctor'],
    ['status'],
  ]) {
    const { stdout, stderr } = await box.ralph(words)
    expect([words, /[\u0000-\u0008\u000b-\u001f\u007f]/.test(stdout + stderr)]).toEqual([words, false])
  }
})

/** Outside the workspace: made by whatever should not have been started. */
const mark = (box: Sandbox): string => join(dirname(box.home), 'executed')
const trace = (box: Sandbox): string => `require('node:fs').writeFileSync(${JSON.stringify(mark(box))}, '')\n`

const withPath = ({ home }: Sandbox) => ({ PATH: `${join(dirname(home), 'bin')}:${process.env.PATH}` })

/** All files below a folder, with what is in them. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path, entry.isFile() ? readFileSync(path, 'utf8') : '']
    }),
  )
}
