import { describe, expect, test } from 'bun:test'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { configure, FS, FW, played, roleScript, run, rundir, runId } from './fixtures.ts'
import { carriers, counted, MEETING, merged, mostAlive, outcome, promptOf, theWave, told } from './waves.ts'

/** What the first issue asked to be shown: the numbers are those of its list "Must be seen". */
const ROOT = join(import.meta.dir, '../..')
const GIT = 'git -c user.name=t -c user.email=t@example.org -c init.defaultBranch=main'

describe.concurrent('must be seen', () => {
  test('(2) a review of a repository of 200 files by three reviewers at the same time', async () => {
    await using box = sandbox()
    await repository(box, 200)
    const done = await box.ralph([
      'run',
      '-H',
      'builtin:wave-review',
      '-b',
      'mock',
      '-p',
      'Review the storage module',
    ])
    expect(done.code).toBe(0)

    const workers = box
      .rows(rundir(box, 'mock-ledger.jsonl'))
      .filter(({ kind }) => kind === 'worker') as unknown as { event: string; ts: string; index: number }[]
    const times = (event: string): number[] =>
      workers.filter((row) => row.event === event).map(({ ts }) => Date.parse(ts))
    expect(times('start')).toHaveLength(3)
    expect(times('end')).toHaveLength(3)
    expect(Math.max(...times('start'))).toBeLessThan(Math.min(...times('end')))

    const [ending] = box.rows(mainFile(box)).filter(({ topic }) => topic === 'review.complete')
    const report = String(ending?.payload)
    expect(report.length).toBeGreaterThan(200)
    expect(done.stdout).toBe(`${report}\n`)
  })

  test('(3) ten items at concurrency 4: four at most, refilled at once, results in index order', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { concurrency: 4 }, agg: { aggregate: { timeout: 20 } } } }))
    // The first ends last; any other ends only once the second after it has come, into the place of one that has ended.
    roleScript(box, {
      disp: 'WAVE item.go 0 1 2 3 4 5 6 7 8 9',
      work: counted(`${MEETING} DONE $RALPH_WAVE_INDEX
        case $RALPH_WAVE_INDEX in
          0) AWAIT last ;;
          9) DONE last ;;
          8) ;;
          *) AWAIT $((RALPH_WAVE_INDEX + 2)) ;;
        esac
        EMIT item.done "r$RALPH_WAVE_INDEX"`),
    })
    expect((await run(box)).code).toBe(0)
    expect(mostAlive(box)).toBe(4)
    expect(merged(box).map(({ payload }) => payload)).toEqual(
      Array.from({ length: 10 }, (_, index) => `r${index}`),
    )
  })

  test('(4) of five workers each ends its own way, soon after the deadline, and no process is left', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { concurrency: 5, timeout: 2 } } }))
    roleScript(box, {
      disp: 'WAVE item.go fails says-nothing hangs leaves-a-daemon works',
      work: {
        0: 'echo boom >&2; exit 3',
        1: ':',
        2: 'EMIT item.done "before the hang"; while :; do sleep 0.1; done',
        3: '(setsid bash -c "sleep 300 & wait" &); EMIT item.done r3',
        4: 'EMIT item.done r4',
      },
    })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect([0, 1, 2, 3, 4].map((index) => outcome(box, index).status)).toEqual([
      'failed',
      'empty',
      'partial',
      'ok',
      'ok',
    ])
    expect(Number(told(done, 'wave_completed')[0]?.duration_ms)).toBeLessThan(5000)
    expect(carriers(`RALPH_AGENT=${runId(box)}:`)).toEqual([])
    expect(promptOf(box, 'agg')).toContain('received 3/5')
  })

  test('(5) four hats of concurrency 1 that feed one aggregator work at the same time', async () => {
    await using box = sandbox()
    configure(box, FS({ hats: { agg: { aggregate: { timeout: 20 } } } }))
    const meet = `${MEETING} MEET all 4; EMIT item.done "$HAT was there"`
    roleScript(box, {
      disp: 'EMIT h1.go a; EMIT h2.go b; EMIT h3.go c; EMIT h4.go d',
      ...{ h1: meet, h2: meet, h3: meet, h4: meet },
    })
    expect((await run(box)).code).toBe(0)
    for (const name of ['h1', 'h2', 'h3', 'h4']) expect(promptOf(box, 'agg')).toContain(`${name} was there`)
  })

  test('(6) the files of a repository, piped into wave emit, are one item each', async () => {
    await using box = sandbox()
    configure(
      box,
      FW({
        hats: {
          disp: { publishes: ['review.file'] },
          work: { triggers: ['review.file'], concurrency: 8 },
        },
      }),
    )
    roleScript(box, {
      disp: 'git ls-files | ralph wave emit review.file --stdin > /dev/null',
      work: 'EMIT item.done "$(tail -n 1 "$PROMPT"): $(wc -c < "$(tail -n 1 "$PROMPT")")"',
    })
    await repository(box, 12)
    expect((await run(box)).code).toBe(0)
    const files = (await box.sh('git ls-files')).stdout.trim().split('\n')
    expect(files.length).toBeGreaterThan(12)
    expect(merged(box).map(({ payload }) => String(payload))).toEqual(
      files.map((file) => `${file}: ${readFileSync(box.path(file)).length}`),
    )
  })

  test('(7) a report of 300 KB, handed over as the prompt says, arrives byte for byte and runs nothing', async () => {
    await using box = sandbox()
    configure(box, FW())
    const report = dangerousReport(300_000)
    box.write('report.md', report)
    roleScript(box, {
      disp: 'WAVE item.go a',
      // What stands between the lines of the form is replaced, nothing else.
      work: `awk -v report=report.md '
        /^ralph emit .*RALPH_EOF/ { inside = 1; print; next }
        inside && /^RALPH_EOF$/ { while ((getline line < report) > 0) print line; print; exit }
        !inside { next }' "$PROMPT" > followed.sh
        bash followed.sh`,
    })
    expect((await run(box)).code).toBe(0)
    expect(box.read('followed.sh')).toStartWith(`ralph emit item.done --stdin <<'RALPH_EOF'\n# Report`)
    const kept = rundir(box, 'waves', theWave(box), '0', 'result-1.txt')
    expect(box.read(kept) === report).toBe(true)
    expect(merged(box, 'item.done')).toHaveLength(1)
    expect(merged(box, 'item.done')[0]?.payload === report).toBe(true)
    expect(promptOf(box, 'agg')).toContain('/waves/')
    expect(promptOf(box, 'agg')).toContain('result-1.txt')
    expect(promptOf(box, 'agg')).toContain(report.slice(0, 10_000))
    expect((await box.sh('ls -A')).stdout.trim().split('\n')).toEqual([
      '.ralph',
      'agent.sh',
      'followed.sh',
      'ralph.yml',
      'report.md',
    ])
  })

  test('(7) git clean -fdx in the middle of a wave costs the run nothing', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: 'WAVE item.go a b c d',
      work: {
        0: 'EMIT item.done r0',
        1: `${MEETING} AWAIT waiting; AWAIT last
          until [ -e "$HOME/.local/state/ralph/runs/$RALPH_RUN_ID/waves/$RALPH_WAVE_ID/0/outcome.json" ]; do sleep 0.02; done
          : > .ralph/mark; git clean -qfdx; DONE clean; EMIT item.done r1`,
        2: `${MEETING} DONE waiting; AWAIT clean; EMIT item.done r2`,
        3: `${MEETING} DONE last; AWAIT clean; EMIT item.done r3`,
      },
      agg: 'EMIT LOOP_COMPLETE "the right report"',
    })
    await repository(box, 1)
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'the right report\n' })
    expect(box.exists('.ralph/mark')).toBe(false)
    expect(merged(box).map(({ payload }) => payload)).toEqual(['r0', 'r1', 'r2', 'r3'])
    expect(promptOf(box, 'agg')).toContain('received 4/4')
    expect(played(box).filter((name) => name === 'work:0')).toHaveLength(1)
  })

  test('(8) twenty lines on stdin are twenty results in their order, without a config', async () => {
    await using box = sandbox()
    const done = await box.sh(`seq 20 | "$RALPH_BIN" wave run --prompt 'Say {}' -b mock -j 4 --output jsonl`)
    expect(done.code).toBe(0)
    const results = done.stdout.trim().split('\n')
    expect(results.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      Array.from({ length: 20 }, (_, index) => ({
        index,
        payload: String(index + 1),
        status: 'ok',
        result: expect.stringContaining(`${index + 1}`),
      })),
    )
    expect(box.exists('.ralph')).toBe(false)
  })

  test('(10) the example of three hats is rehearsed to its end, unchanged', async () => {
    await using box = sandbox()
    copyFileSync(join(ROOT, 'tests/fixtures/collections/three-hats.yml'), box.path('three-hats.yml'))
    const done = await box.ralph(['run', '-H', 'three-hats.yml', '-b', 'mock', '-p', 'Review it'])
    expect(done.code).toBe(0)
    expect(done.stdout.trim()).not.toBe('')
    const hats = box.rows(rundir(box, 'mock-ledger.jsonl')).filter(({ event }) => event === 'start')
    expect(hats.filter(({ kind }) => kind === 'worker').length).toBeGreaterThan(1)
    expect(JSON.stringify(hats)).toContain('synthesizer')
  })

  test('(11) the plugin of the README works as it stands there', async () => {
    await using box = sandbox()
    const code = /```ts\n(\/\/ backends\/(\w+)\.ts[\s\S]*?export default[\s\S]*?)```/.exec(
      readFileSync(join(ROOT, 'README.md'), 'utf8'),
    )
    const [, text = '', name = ''] = code ?? []
    expect(text.split('\n').length).toBeLessThan(25)
    box.write(`backends/${name}.ts`, text)
    const items = await box.ralph(['wave', 'run', '-b', name, '--plugins', 'backends'], {
      stdin: 'one two three\nfour five\n',
    })
    expect(items).toMatchObject({ code: 0, stdout: '3 words\n2 words\n' })
    const loop = await box.ralph(['run', '-q', '-b', name, '--plugins', 'backends', '-p', 'Count me'])
    expect(loop).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ words\n$/) })
  })
})

const mainFile = (box: Sandbox): string => box.read('.ralph/current-events').trim()

/** Commits so many files of some code, with what lies in the workspace. */
async function repository(box: Sandbox, files: number): Promise<void> {
  for (let i = 0; i < files; i++) {
    const module = ['storage', 'network', 'view', 'core'][i % 4]
    box.write(`src/${module}/part${i}.ts`, `// TODO: part ${i}\nexport const part${i} = ${i}\n`)
  }
  const done = await box.sh(`${GIT} init -q && ${GIT} add -A && ${GIT} commit -qm first`)
  if (done.code !== 0) throw new Error(done.stderr)
}

/** Markdown that would do harm wherever a shell, a printf or a template read it. Its last line has no newline. */
function dangerousReport(bytes: number): string {
  const lines = [
    '```sh',
    'touch pwned1; `touch pwned2` "$(touch pwned3)" $'.concat('{PATH} $HOME $((1 + 1)) $$ !!'),
    '```',
    `It's "quoted" \\"twice\\" \\n \\\\ \\$ %s %d {payload} {{x}} <event topic="item.done">no</event>`,
    '\tA tab, trailing blanks  ',
    '',
    "in the midst RALPH_EOF of a line, 'RALPH_EOF' and <<'EOF'; äöü 漢字 🦊",
    "'; touch pwned4; '",
    '$(touch pwned5) && `touch pwned6`',
    '~~~~\n````\n~~~~',
  ]
  const parts = ['# Report']
  for (let size = 0, i = 0; size < bytes; i++) {
    const line = `${lines[i % lines.length]}${i % 7 === 0 ? ` (${i})` : ''}`
    parts.push(line)
    size += Buffer.byteLength(line) + 1
  }
  return `${parts.join('\n')}\nend`
}
