import { inline } from '../../core/blob.ts'
import { isControl } from '../../core/control.ts'
import type { Event } from '../../core/event.ts'
import { absorb } from '../../core/run/absorb.ts'
import { playerOf } from '../../core/run/backends.ts'
import { controlTopics } from '../../core/run/control-topics.ts'
import { createState } from '../../core/run/create.ts'
import { foldJournal } from '../../core/run/fold.ts'
import { record, run } from '../../core/run/run.ts'
import type { State, StopReason } from '../../core/run/state.ts'
import { createTopology } from '../../core/topology.ts'
import { adoptable } from '../../core/wave/adopt.ts'
import { digestInstructions, itemKeys } from '../../core/wave/item-key.ts'
import { planShell, type ShellPlan } from '../../core/wave/plan-shell.ts'
import { createAudit } from './audit.ts'
import { createRandom, type Random } from './random.ts'
import { createScenario, type Scenario } from './scenario.ts'
import {
  content,
  createDisk,
  createFaults,
  createSimJournal,
  NO_FAULTS,
  type Simulated,
  scissors,
} from './simulate.ts'
import { Crash, createSimWorld, type Disk, surviveCrash, unreadLines, Violation } from './world.ts'

const MOST_RUNS = 5

/** A run that is over, one way or another. */
interface Earlier {
  readonly id: string
  readonly state: State
  readonly disk: Disk
}

/**
 * Plays `ralph wave run`, cut anywhere, and `--resume` after it, each time with the items in another order, some new, some
 * gone, some twice. Holds it to this: what has a result is never paid again, and each result is one that its agent gave.
 */
export async function simulateShell(seed: number): Promise<Simulated> {
  const random = createRandom(seed)
  const { rules } = createScenario(random)
  const scenario: Scenario = { hats: [], rules }
  const ends: (StopReason | 'crash')[] = []
  const counts = { facts: 0 }
  let items = Array.from({ length: random.int(1, 12) }, () => `item ${random.int(1, 9)}`)
  let earlier: Earlier | null = null
  try {
    for (let n = 1; n <= MOST_RUNS; n++) {
      const id = `wave-${n}`
      const planned = planItems({ scenario, earlier, items })
      if (earlier !== null) checkReuse(earlier, planned)
      const isLast = n === MOST_RUNS
      const made: Played = await play({
        id,
        scenario,
        random,
        items: planned,
        isLast,
        counts,
        after: earlier,
      })
      ends.push(made.end)
      earlier = made.earlier
      checkTruth(earlier)
      items = edit(random, items)
    }
    return { seed, ends, facts: counts.facts, failure: null }
  } catch (error) {
    const reason = error instanceof Violation ? error.message : String((error as Error).stack)
    return {
      seed,
      ends,
      facts: counts.facts,
      failure: { reason, journal: earlier?.disk.journal.slice(-25) ?? [] },
    }
  }
}

type Items = ShellPlan['items']

/** As `--resume` does: what has its result is taken over. */
function planItems(of: { scenario: Scenario; earlier: Earlier | null; items: readonly string[] }): Items {
  const { scenario, earlier, items } = of
  const facts = scenario.rules.backends['']
  if (facts === undefined) throw new Error('a scenario has a global backend')
  const keys = itemKeys(
    items.map((item) => ({
      hat: '',
      instructions: digestInstructions(null),
      player: playerOf(facts),
      payload: inline(item),
    })),
  )
  const known = earlier === null ? new Map() : adoptable(earlier.id, [...earlier.state.waves.values()])
  return items.map((item, i) => {
    const adopted = known.get(keys[i] ?? '')
    return { payload: inline(item), ...(adopted === undefined ? {} : { adopted }) }
  })
}

interface Played {
  readonly end: StopReason | 'crash'
  readonly earlier: Earlier
}

/** One run, and what a later one finds of it. */
async function play(of: {
  id: string
  scenario: Scenario
  random: Random
  items: Items
  isLast: boolean
  counts: { facts: number }
  after: Earlier | null
}): Promise<Played> {
  const { id, scenario, random, items, isLast, counts } = of
  const { rules } = scenario
  const disk = createDisk((of.after?.disk.time ?? 1_800_000_000_000) + 1000)
  const audit = createAudit(disk)
  const mono = random.int(1, 1000)
  const info = { ...PLACE, id, pid: 1, startedAt: disk.time, startedMono: mono }
  const state = createState({ run: info, rules, topology: createTopology([]), loop: false })
  const cut = scissors(isLast || random.chance(0.3) ? Infinity : random.int(1, 200))
  const world = createSimWorld({
    disk,
    random,
    mono,
    faults: isLast ? NO_FAULTS : createFaults(random),
    cut,
    continued: false,
    onStart: (action, now) => audit.started(action, now, world),
    onQuiet: () => audit.quiet(state, world),
  })
  const journal = createSimJournal({ disk, random, cut, trace: undefined, audit, state, counts })
  const plan = planShell({
    id: `w-${id}`,
    items,
    concurrency: rules.features.maxConcurrency,
    timeoutSeconds: random.int(5, 300),
    template: null,
  })
  let end: StopReason | 'crash' = 'crash'
  try {
    record({ world, journal, state }, [{ type: 'wave.opened', plan }])
    end = await run(world, journal, state)
    audit.ended(state, end)
  } catch (error) {
    if (!(error instanceof Crash)) throw error
    surviveCrash(disk, random)
  }
  const found = foldJournal(content(scenario, disk, { runId: id, mode: 'wave' }), { dir: PLACE.dir })
  for (const fact of unreadLines(disk, found)) absorb(found, { ...fact, at: disk.time, mono: found.lastMono })
  // A run that was cut before its wave was told of is none: what came before it still counts.
  return { end, earlier: found.waves.size > 0 || of.after === null ? { id, state: found, disk } : of.after }
}

/** What has a result is taken over, as often as there is one, and nothing else is. */
function checkReuse({ state, disk }: Earlier, items: Items): void {
  const there = new Map<string, number>()
  for (const [payload, hasResult] of truth(state, disk)) {
    if (hasResult) there.set(payload, (there.get(payload) ?? 0) + 1)
  }
  for (const { payload, adopted } of items) {
    const text = 'inline' in payload ? payload.inline : ''
    const left = there.get(text) ?? 0
    there.set(text, left - 1)
    if ((adopted !== undefined) !== left > 0)
      throw new Violation(`${text} is ${adopted ? 'taken over without a result' : 'paid again'}`)
  }
}

/** Each result is what the item's agent gave, here or in the run that paid it. */
function checkTruth({ state, disk }: Earlier): void {
  for (const wave of state.waves.values()) {
    for (const work of wave.works) {
      const kept = work.adopted?.outcome
      if (kept !== undefined && JSON.stringify(kept) !== JSON.stringify(work.outcome))
        throw new Violation(`${work.id} was taken over as ${kept.status}, and is ${work.outcome?.status}`)
      if (kept !== undefined && work.agent !== 0) throw new Violation(`${work.id} was taken over, and ran`)
      const filed = disk.outcomes.get(work.id)
      if (filed !== undefined && work.status !== 'settled')
        throw new Violation(`${work.id} has an outcome on disk, and is ${work.status}`)
    }
  }
}

/** By item, its payload and whether a result of it exists, whatever the run knows of it: told, or in its worker's file. */
function truth(state: State, disk: Disk): readonly (readonly [payload: string, hasResult: boolean])[] {
  return [...state.waves.values()].flatMap((wave) =>
    wave.works.map((work) => {
      const payload = 'inline' in work.payload ? work.payload.inline : ''
      const file = disk.workers.get(work.id) ?? []
      const isWritten = work.agent !== 0 && file.some((event) => event !== null && isResult(state, event))
      const hasResult = work.status === 'settled' ? work.outcome?.class === 'result' : isWritten
      return [payload, hasResult] as const
    }),
  )
}

/** What a worker of the shell may say. */
function isResult(state: State, { topic, wave }: Event): boolean {
  return !isControl(controlTopics(state), topic) && wave?.total === undefined
}

/** Another order, new items, some gone, some twice. */
function edit(random: Random, items: readonly string[]): string[] {
  const kept = items.filter(() => random.chance(0.95))
  const more = Array.from({ length: random.int(0, 2) }, () => `item ${random.int(1, 12)}`)
  return [...kept, ...more, 'item 1']
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

const PLACE = { workspace: '/w', dir: '/s', eventsFile: '' }
