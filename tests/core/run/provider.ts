import type { AgentEnd } from '../../../core/agent/end.ts'
import type { Hat, Retry } from '../../../core/hat.ts'
import { createRandom } from '../../sim/random.ts'
import { aggregate, dispatch, mergedWave, type Rig, rig, waveHats } from './rig.ts'

/** A provider on a virtual clock, and a wave whose agents depend on it. */
export interface ProviderPlay {
  readonly items: number
  readonly concurrency: number
  /** Requests that it serves at once, at a time (ms). */
  readonly capacity: (at: number) => number
  /** `session`: an agent holds one place from its first request to its end. `turns`: it asks several times, with its tools in between, and tries a refused request three times itself, as the real programs do. */
  readonly agents: 'session' | 'turns'
  readonly seed: number
  readonly retry?: Partial<Retry>
  readonly startGapMs?: number
  readonly retryAfterMs?: number
}

export interface Played {
  /** How many items ended with each status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Most attempts of an item. */
  readonly attempts: number
  /** Items that needed the last of them. */
  readonly onTheirLast: number
  /** Agents that ended because the provider refused them. */
  readonly refusedAgents: number
  /** Requests that it refused, and all of them. */
  readonly refused: number
  readonly requests: number
  /** Most requests within one second. */
  readonly busiestSecond: number
  /** Most requests that it refused within a minute, the first minute of the wave left out. */
  readonly refusedPerMinute: number
  /** From the dispatch to the merge, ms. */
  readonly took: number
  /** Starts of agents, ms. */
  readonly starts: readonly number[]
}

interface Due {
  readonly at: number
  readonly act: () => void
}

/** Plays one wave to its merge. */
export function playProvider(play: ProviderPlay): Played {
  const random = createRandom(play.seed)
  const retry = {
    attempts: 3,
    on: ['rate_limit', 'overload', 'network', 'locked'],
    backoffSeconds: 10,
  } as const
  const work: Partial<Hat> = { concurrency: play.concurrency, timeoutSeconds: 3600 }
  const r: Rig = rig({
    hats: waveHats(work, aggregate(100_000)),
    loop: { startingEvent: 'work.start', maxRuntimeSeconds: 1_000_000 },
    features: { maxConcurrency: play.concurrency, retry: { ...retry, ...play.retry } },
    backend: play.startGapMs === undefined ? {} : { startGapMs: play.startGapMs },
  })
  let now = 0
  let schedule: Due[] = []
  let inUse = 0
  let seen = 0
  let refusedAgents = 0
  const asked: number[] = []
  const refusedAt: number[] = []
  const starts: number[] = []

  const later = (ms: number, act: () => void): void => {
    schedule.push({ at: now + ms, act })
    schedule.sort((a, b) => a.at - b.at)
  }
  const end = (n: number, how: Partial<AgentEnd> | null): void => {
    if (how !== null) refusedAgents += 1
    r.work(n, how === null ? [['item.done', `r${n}`]] : [], how ?? {})
  }
  const refusal = {
    exitCode: 1,
    failure: {
      class: 'rate_limit',
      message: '429',
      ...(play.retryAfterMs === undefined ? {} : { retryAfterMs: play.retryAfterMs }),
    },
  } as const

  /** One request: served for `ms`, or refused at once. */
  const ask = (ms: number, served: () => void, refused: () => void): void => {
    asked.push(now)
    if (inUse >= play.capacity(now)) {
      refusedAt.push(now)
      later(50, refused)
      return
    }
    inUse += 1
    later(ms, () => {
      inUse -= 1
      served()
    })
  }
  const turn = (n: number, left: number, tries: number): void =>
    ask(
      random.int(1500, 5000),
      () => (left === 0 ? end(n, null) : later(random.int(500, 4000), () => turn(n, left - 1, 1))),
      () => (tries === 3 ? end(n, refusal) : later(500 * 2 ** tries, () => turn(n, left, tries + 1))),
    )
  const start = (n: number): void => {
    starts.push(now)
    later(random.int(700, 1500), () => {
      if (play.agents === 'turns') turn(n, random.int(2, 6), 1)
      else
        ask(
          random.int(15_000, 45_000),
          () => end(n, null),
          () => end(n, refusal),
        )
    })
  }
  const look = (): void => {
    for (const action of r.actions.slice(seen)) {
      if (action.kind === 'start-agent' && action.work.wave !== null) start(action.n)
      if (action.kind === 'set-timer')
        later(action.ms, () => r.happen({ type: 'timer.fired', timer: action.timer }))
    }
    seen = r.actions.length
  }

  dispatch(
    r,
    Array.from({ length: play.items }, (_, i) => ['item.go', `${i}`] as const),
  )
  look()
  while (r.all('merge-wave').length === 0) {
    const due = schedule[0]
    if (due === undefined) throw new Error('the wave waits, and nothing will ever come')
    schedule = schedule.slice(1)
    const passed = due.at - now
    now = due.at
    r.pass(passed)
    look()
    due.act()
    look()
  }
  const statuses: Record<string, number> = {}
  const works = mergedWave(r).works
  for (const { outcome } of works) statuses[`${outcome?.status}`] = (statuses[`${outcome?.status}`] ?? 0) + 1
  return {
    statuses,
    attempts: Math.max(...works.map((one) => one.attempts)),
    onTheirLast: works.filter((one) => one.attempts === (play.retry?.attempts ?? retry.attempts)).length,
    refusedAgents,
    refused: refusedAt.length,
    requests: asked.length,
    busiestSecond: busiest(asked, 1000),
    refusedPerMinute: busiest(
      refusedAt.filter((at) => at > 60_000),
      60_000,
    ),
    took: now,
    starts,
  }
}

/** Most of these times within a window of so many milliseconds. */
function busiest(times: readonly number[], windowMs: number): number {
  let most = 0
  let from = 0
  times.forEach((at, i) => {
    while ((times[from] ?? at) <= at - windowMs) from += 1
    most = Math.max(most, i - from + 1)
  })
  return most
}
