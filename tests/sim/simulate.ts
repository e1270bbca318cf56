import { inline } from '../../core/blob.ts'
import type { Settings } from '../../core/config/settings.ts'
import { RalphError } from '../../core/errors.ts'
import type { Journal, Manifest } from '../../core/journal/journal.ts'
import type { JournalContent } from '../../core/journal/read.ts'
import { createState } from '../../core/run/create.ts'
import { type Fact, type FactBody, isDurable } from '../../core/run/fact.ts'
import { foldJournal } from '../../core/run/fold.ts'
import { redrivenFact } from '../../core/run/redriven.ts'
import { record, run } from '../../core/run/run.ts'
import type { State, StopReason } from '../../core/run/state.ts'
import { createTopology } from '../../core/topology.ts'
import type { Wave } from '../../core/wave/wave.ts'
import { type Audit, createAudit } from './audit.ts'
import { digest } from './digest.ts'
import { createRandom, type Random } from './random.ts'
import { createScenario, type Scenario } from './scenario.ts'
import {
  Crash,
  createSimWorld,
  type Disk,
  type Faults,
  surviveCrash,
  unreadLines,
  Violation,
} from './world.ts'

/** What became of one seed. */
export interface Simulated {
  readonly seed: number
  /** How each invocation ended. */
  readonly ends: readonly (StopReason | 'crash')[]
  readonly facts: number
  /** What went wrong; null: nothing. */
  readonly failure: { readonly reason: string; readonly journal: readonly string[] } | null
}

/** No invocation records more than this. */
const MOST_FACTS = 20_000
const MOST_INVOCATIONS = 7

/** Plays one run, with crashes and continuations, as its seed says, and holds it to its word. */
export async function simulate(seed: number, trace?: (line: string) => void): Promise<Simulated> {
  const random = createRandom(seed)
  const scenario = createScenario(random)
  const disk = createDisk(1_800_000_000_000)
  const audit = createAudit(disk)
  const ends: (StopReason | 'crash')[] = []
  const counts = { facts: 0 }
  try {
    let state: State | null = null
    while (ends.length < MOST_INVOCATIONS) {
      const isLast = ends.length === MOST_INVOCATIONS - 1
      const done = await invoke({
        scenario,
        disk,
        random,
        audit,
        isLast,
        counts,
        trace,
        first: ends.length === 0,
      })
      ends.push(done.end)
      state = done.state
      trace?.(`── ${done.end}`)
      const isOver = done.end === 'completed' || done.end === 'cancelled'
      if (isOver && random.chance(0.9)) break
    }
    if (state !== null && ends.at(-1) !== 'crash') audit.closed(state)
    return { seed, ends, facts: counts.facts, failure: null }
  } catch (error) {
    const reason = error instanceof Violation ? error.message : String((error as Error).stack)
    return { seed, ends, facts: counts.facts, failure: { reason, journal: disk.journal.slice(-25) } }
  }
}

/** `time`: wall clock. */
export function createDisk(time: number): Disk {
  return {
    journal: [],
    main: [],
    workers: new Map(),
    outcomes: new Map(),
    time,
    agents: new Map(),
    waves: [],
  }
}

interface Invocation {
  readonly scenario: Scenario
  readonly disk: Disk
  readonly random: Random
  readonly audit: Audit
  readonly first: boolean
  /** Without faults: it is to come to an end. */
  readonly isLast: boolean
  readonly counts: { facts: number }
  readonly trace: ((line: string) => void) | undefined
}

async function invoke(of: Invocation): Promise<{ end: StopReason | 'crash'; state: State | null }> {
  const { scenario, disk, random, audit, isLast, trace } = of
  const mono = random.int(1, 1000)
  const info = { pid: 1, startedAt: disk.time, startedMono: mono }
  const { rules, hats } = of.first ? scenario : editConfig(random, scenario)
  const merged = new Map<string, Wave>()
  const state = of.first
    ? createState({ run: { ...RUN, ...info }, rules, topology: createTopology(hats), loop: true })
    : foldJournal(content(scenario, disk), {
        dir: RUN.dir,
        run: info,
        watch: (now) => {
          for (const wave of now.merged.values()) merged.set(wave.id, wave)
        },
      })
  const again = of.first ? null : redrive({ disk, random, state, merged, rules, hats })
  const isFinished = state.ended === 'completed' || state.ended === 'cancelled'
  const first: FactBody[] = of.first
    ? [
        {
          type: 'loop.opened',
          objective: inline('X'),
          topic: scenario.rules.eventLoop.startingEvent ?? 'task.start',
          continued: false,
        },
      ]
    : [
        ...unreadLines(disk, state),
        {
          type: 'loop.resumed',
          objective: isFinished && again === null ? inline('Y') : null,
          filed: [...disk.outcomes.keys()],
          totalLimits: random.chance(0.2),
          config: { rules, hats },
        },
        ...(again === null ? [] : [again]),
      ]

  const cut = scissors(isLast || random.chance(0.3) ? Infinity : random.int(1, random.chance(0.3) ? 20 : 400))
  const world = createSimWorld({
    disk,
    random,
    mono,
    faults: isLast ? NO_FAULTS : createFaults(random),
    cut,
    continued: !of.first,
    onStart(action, now) {
      trace?.(`   → ${action.kind}${'n' in action ? ` ${action.n}` : ''}`)
      audit.started(action, now, world)
    },
    onQuiet: () => audit.quiet(state, world),
  })
  const journal = createSimJournal({ disk, random, cut, trace, audit, state, counts: of.counts })
  try {
    record({ world, journal, state }, first)
    const end = await run(world, journal, state)
    audit.ended(state, end)
    checkFold(scenario, disk, state)
    return { end, state }
  } catch (error) {
    if (!(error instanceof Crash)) throw error
    surviveCrash(disk, random)
    disk.time += random.int(1, 100_000)
    return { end: 'crash', state: null }
  }
}

/** Now and then a person has a part of a wave run again. */
function redrive(of: {
  disk: Disk
  random: Random
  state: State
  merged: ReadonlyMap<string, Wave>
  rules: Scenario['rules']
  hats: Scenario['hats']
}): FactBody | null {
  const { disk, random, state, merged, rules, hats } = of
  const wave = random.pick([...merged.values()])
  if (wave === undefined || !random.chance(0.5)) return null
  const some = wave.works.filter(() => random.chance(0.3)).map((work) => work.index)
  const selection = { failed: random.chance(0.5), only: random.chance(0.4) ? some : null }
  const wish = { wave: wave.id, selection }
  const id = `again-${disk.waves.length}-${disk.journal.length}`
  try {
    const again = redrivenFact({ wish, id, state, merged, rules, topology: createTopology(hats) })
    if (again === null) return null
    disk.waves.push(id)
    return again.fact
  } catch (error) {
    if (error instanceof RalphError) return null
    throw error
  }
}

/** Cuts the run at its n-th write or act. */
export function scissors(n: number): (where: string) => void {
  let left = n
  return (where) => {
    left -= 1
    if (left === 0) throw new Crash(where)
  }
}

export function createSimJournal(of: {
  disk: Disk
  random: Random
  cut: (where: string) => void
  trace: ((line: string) => void) | undefined
  audit: Audit
  state: State
  counts: { facts: number }
}): Journal {
  const { disk, random, cut, audit, state, counts } = of
  let here = 0
  return {
    append(facts) {
      here += facts.length
      counts.facts += facts.length
      if (here > MOST_FACTS) throw new Violation('the invocation never ends')
      cut('before a write')
      const lines = facts.filter(isDurable).map((fact) => JSON.stringify(fact))
      try {
        cut('within a write')
      } catch (crash) {
        // What was written of it is whole records, and perhaps the beginning of another, which is never believed.
        const whole = random.int(0, lines.length)
        disk.journal.push(...lines.slice(0, whole))
        believed(facts, lines.length - whole)
        throw crash
      }
      disk.journal.push(...lines)
      if (of.trace) for (const fact of facts) of.trace(`${Math.round(fact.mono)} ${JSON.stringify(fact)}`)
      believed(facts, 0)
      cut('after a write')
    },
    close() {},
  }

  /** All but the last durable ones of `facts`. */
  function believed(facts: readonly Fact[], without: number): void {
    let left = without
    const kept = facts.toReversed().filter((fact) => !isDurable(fact) || left-- <= 0)
    audit.journalled(kept.toReversed(), state)
  }
}

/** The journal gives the same state again. */
function checkFold(scenario: Scenario, disk: Disk, state: State): void {
  const again = foldJournal(content(scenario, disk), { dir: RUN.dir, run: state.run })
  const [is, should] = [digest(again), digest(state)]
  if (is !== should) throw new Violation(`the journal gives another state:\n${is}\n${should}`)
}

export function content({ rules, hats }: Scenario, disk: Disk, of: Partial<Manifest> = {}): JournalContent {
  const facts = disk.journal.map((line) => JSON.parse(line) as Fact)
  const { eventLoop, features, backends } = rules
  // The rest of the settings is not read by the fold.
  const config = { eventLoop, features, hats } as unknown as Settings
  return { manifest: { ...MANIFEST, ...of, config, backends }, facts, isTorn: false, badLines: [] }
}

/** What a person may change between two invocations. */
function editConfig(random: Random, scenario: Scenario): Scenario {
  if (random.chance(0.8)) return scenario
  const { rules, hats } = scenario
  return {
    hats: random.chance(0.5)
      ? hats.slice(1)
      : hats.map((one) => (one.concurrency > 1 ? { ...one, concurrency: random.int(1, 4) } : one)),
    rules: {
      ...rules,
      eventLoop: { ...rules.eventLoop, enforceHatScope: random.chance(0.5) },
      features: {
        ...rules.features,
        maxConcurrency: random.int(1, 8),
        retry: { ...rules.features.retry, attempts: random.int(1, 3) },
      },
    },
  }
}

export function createFaults(random: Random): Faults {
  const stops: FactBody[] = [
    { type: 'stop.asked', how: 'drain' },
    { type: 'stop.asked', how: 'now' },
    { type: 'stop.asked', how: 'now', signal: 'SIGINT' },
    { type: 'workspace.gone' },
    { type: 'io.failed', message: 'disk full' },
  ]
  const stop = random.pick(stops)
  return {
    latency: random.pick([0, 0, 50, 3000]),
    duplicates: random.chance(0.3) ? 0.1 : 0,
    stop: random.chance(0.25) && stop !== undefined ? { at: random.int(1, 60_000), fact: stop } : null,
    mergeFails: random.chance(0.1) ? 0.2 : 0,
  }
}

export const NO_FAULTS: Faults = { latency: 0, duplicates: 0, stop: null, mergeFails: 0 }

const RUN = { id: 'primary-1', workspace: '/w', dir: '/s', eventsFile: '/w/.ralph/events.jsonl' }

const MANIFEST: Omit<Manifest, 'config' | 'backends'> = {
  runId: RUN.id,
  mode: 'loop',
  workspace: RUN.workspace,
  eventsFile: RUN.eventsFile,
  startedAt: 0,
  ralph: 'simulation',
  platform: 'none',
  configFiles: [],
  versions: {},
  git: null,
}
