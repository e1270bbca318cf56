import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

/**
 * The rules of the house: imports go down only, and the pure parts of the core stay pure.
 * When a test here fails, the new import is usually in the wrong room; a rule changes only together with CONTRIBUTING.md.
 */

/** Rooms of the core: from which others a room takes values, and from which only types. The leaf files are open to all. */
const CORE: Readonly<
  Record<string, { readonly values: readonly string[]; readonly types: readonly string[] }>
> = {
  config: { values: [], types: [] },
  backend: { values: [], types: [] },
  'events-file': { values: [], types: [] },
  trust: { values: ['config'], types: [] },
  // Facts are data: the journal stores them, and asks only which of them are kept.
  journal: { values: ['run/fact.ts'], types: ['config', 'run'] },
  agent: { values: ['backend'], types: [] },
  wave: { values: ['events-file/record.ts'], types: ['agent', 'backend'] },
  prompt: { values: ['events-file/record.ts', 'wave'], types: ['config', 'run'] },
  run: { values: ['agent', 'backend', 'config', 'events-file', 'journal', 'prompt', 'wave'], types: [] },
}

/** The only files of the core that touch disk, processes or foreign code. Everything else is given what it needs. */
const SHELL = [
  'core/agent/answer.ts',
  'core/agent/descriptors.ts',
  'core/agent/ladder.ts',
  'core/agent/log.ts',
  'core/agent/pipe-reading.ts',
  'core/agent/pipes.ts',
  'core/agent/prepare.ts',
  'core/agent/process.ts',
  'core/agent/processes.ts',
  'core/agent/stdin.ts',
  'core/agent/strays.ts',
  'core/backend/discover.ts',
  'core/backend/load.ts',
  'core/backend/look.ts',
  'core/config/disk.ts',
  'core/events-file/append.ts',
  'core/events-file/create.ts',
  'core/events-file/follow.ts',
  'core/events-file/inside.ts',
  'core/events-file/reader.ts',
  'core/events-file/target.ts',
  'core/journal/journal.ts',
  'core/journal/read.ts',
  'core/open-private.ts',
  'core/regular-file.ts',
]

const VENDORS = /claude|gemini|codex|kiro|copilot|opencode|anthropic|openai|\bamp\b|\broo\b|\bforge\b/i

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
  /** `import('…')`: loaded when it is needed. */
  readonly lazy: boolean
}

const root = join(import.meta.dir, '../..')
const files = new Map(
  ['cli', 'core', 'plugins', 'presets'].flatMap((folder) =>
    [...new Bun.Glob('**/*.ts').scanSync(join(root, folder))].map((name) => {
      const path = `${folder}/${name}`
      return [path, readFileSync(join(root, path), 'utf8')] as const
    }),
  ),
)
const imports: readonly Import[] = [...files].flatMap(([from, text]) => importsOf(from, text))
const inside = imports.filter(({ to }) => /^(cli|core|plugins|presets)\//.test(to))

describe('imports go down only', () => {
  test('there is something to look at: files of every house and imports between them', () => {
    for (const house of ['cli', 'core', 'plugins', 'presets']) {
      expect([...files.keys()].some((path) => path.startsWith(`${house}/`))).toBe(true)
    }
    expect(inside.length).toBeGreaterThan(500)
  })

  test('every import within the repository names a file that is there', () => {
    const missing = inside.filter(({ to }) => to.endsWith('.ts') && !files.has(to))
    expect(missing.map(show)).toEqual([])
  })

  test('the core knows neither the command line nor any plugin or preset', () => {
    expect(
      inside.filter(({ from, to }) => from.startsWith('core/') && !to.startsWith('core/')).map(show),
    ).toEqual([])
  })

  test('plugins know only the border of the core, core/backend; the mock also how topics are routed', () => {
    const foreign = inside.filter(({ from, to, typeOnly }) => {
      if (!from.startsWith('plugins/') || to.startsWith('plugins/')) return false
      if (to.startsWith('core/backend/')) return false
      if (typeOnly && to.startsWith('core/')) return false
      return !(from.startsWith('plugins/mock/') && ['core/topic.ts', 'core/topology.ts'].includes(to))
    })
    expect(foreign.map(show)).toEqual([])
  })

  test('no plugin knows another one: they share only the small files beside their folders', () => {
    const foreign = inside.filter(({ from, to }) => {
      const [own, other] = [folderOf(from), folderOf(to)]
      return own !== null && other !== null && own !== other
    })
    expect(foreign.map(show)).toEqual([])
  })

  test('the command line takes backends from their list; only the hidden command of the mock goes to a folder', () => {
    const direct = inside.filter(({ from, to }) => from.startsWith('cli/') && folderOf(to) !== null)
    expect(direct.map(show)).toEqual(['cli/main.ts → plugins/mock/play.ts'])
  })

  test('presets import nothing but their own files', () => {
    expect(
      inside.filter(({ from, to }) => from.startsWith('presets/') && !to.startsWith('presets/')).map(show),
    ).toEqual([])
  })

  test('the leaf files of the core know no room', () => {
    const risen = inside.filter(({ from, to }) => from.startsWith('core/') && isLeaf(from) && !isLeaf(to))
    expect(risen.map(show)).toEqual([])
  })

  test('each room of the core knows the rooms below it, and of those above only types', () => {
    const wrong = inside.filter(({ from, to, typeOnly }) => {
      const [room, other] = [roomOf(from), roomOf(to)]
      if (room === null || other === null || room === other) return false
      const { values, types } = CORE[room] ?? { values: [], types: [] }
      const fits = (names: readonly string[]) =>
        names.includes(other) || names.includes(to.slice('core/'.length))
      return !(fits(values) || (typeOnly && fits(types)))
    })
    expect(wrong.map(show)).toEqual([])
  })

  test('every room of the core has a rule', () => {
    const rooms = new Set([...files.keys()].map(roomOf).filter((room) => room !== null))
    expect([...rooms].sort()).toEqual(Object.keys(CORE).sort())
  })

  test('no files need each other in a circle, types and what is loaded later apart', () => {
    expect(circles(inside.filter(({ typeOnly, lazy }) => !typeOnly && !lazy))).toEqual([])
  })
})

describe('the core', () => {
  const core = [...files].filter(([path]) => path.startsWith('core/'))

  test('touches disk, processes and foreign code only in the files that are listed for it', () => {
    const touching = core
      .filter(([, text]) =>
        /'(node:fs(\/promises)?|node:child_process|node:net|node:http|bun:ffi)'|Bun\.(spawn|file|write)|process\.kill|await import\(|\bimport\((?!')/.test(
          code(text),
        ),
      )
      .map(([path]) => path)
    expect(touching.sort()).toEqual(SHELL)
  })

  test('has no environment, no terminal and no exit of its own', () => {
    const wrong = core.filter(([, text]) =>
      /process\.(env|exit\b|exitCode|argv|stdout|stderr|stdin|cwd|on\()|\bconsole\.|Bun\.(stdout|stderr|stdin|env|argv|main)/.test(
        code(text),
      ),
    )
    expect(wrong.map(([path]) => path)).toEqual([])
  })

  test('has neither clock nor chance nor timers where it decides, plans and words', () => {
    const wrong = core.filter(
      ([path, text]) =>
        (isLeaf(path) || /^core\/(run|wave|prompt)\//.test(path)) &&
        /Date\.now|new Date\(\)|performance\.|Math\.random|randomUUID|setTimeout|setInterval|Bun\./.test(
          code(text),
        ),
    )
    expect(wrong.map(([path]) => path)).toEqual([])
  })

  test('names no vendor outside the configuration, whose format knows some', () => {
    const wrong = core.filter(([path, text]) => !path.startsWith('core/config/') && VENDORS.test(text))
    expect(wrong.map(([path]) => path)).toEqual([])
  })
})

// ---------------------------------------------------------------- reading the source

/** Static imports, re-exports and `import('…')`. A list of `{ type A, type B }` is still an import at run time. */
function importsOf(from: string, text: string): readonly Import[] {
  const found: Import[] = []
  const statement = /^(?:import|export)\s+(type\s+)?(?:[^;'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm
  for (const [, type, named, lazy] of text.matchAll(statement)) {
    const target = named ?? lazy ?? ''
    const to = target.startsWith('.') ? normalize(join(from, '..', target)) : target
    found.push({ from, to, typeOnly: type !== undefined, lazy: lazy !== undefined })
  }
  return found
}

/** `core/wave/plan.ts` → `wave`; null for leaf files and other houses. */
function roomOf(path: string): string | null {
  const [house, room, more] = path.split('/')
  return house === 'core' && room !== undefined && more !== undefined ? room : null
}

function isLeaf(path: string): boolean {
  return /^core\/[^/]+$/.test(path)
}

/** `plugins/claude/index.ts` → `plugins/claude`; null for what lies beside the folders. */
function folderOf(path: string): string | null {
  return /^(plugins\/[^/]+)\//.exec(path)?.[1] ?? null
}

/** Source without comments, so that they may name what code may not. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

function show({ from, to }: Import): string {
  return `${from} → ${to}`
}

/** One way around for each circle that there is. */
function circles(edges: readonly Import[]): readonly string[] {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) {
      found.push([...way.slice(way.indexOf(file)), file].join(' → '))
      return
    }
    if (done.has(file)) return
    for (const { to } of next.get(file) ?? []) walk(to, [...way, file])
    done.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  return found
}
