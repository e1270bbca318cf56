import type { AgentEnd } from '../../core/agent/end.ts'
import type { FailureClass } from '../../core/backend/contract.ts'
import { inline } from '../../core/blob.ts'
import type { Event } from '../../core/event.ts'
import type { Hat } from '../../core/hat.ts'
import type { Brief } from '../../core/prompt/brief.ts'
import { isConcrete } from '../../core/topic.ts'
import { CLEAN } from '../core/run/rig.ts'
import type { Random } from './random.ts'
import { CANCEL, PROMISE } from './scenario.ts'

/** A line that an agent writes, some time after it began. */
export interface Writing {
  readonly at: number
  /** Its own file: the main one for an iteration's agent. `main`: a worker that lost its environment. */
  readonly to: 'own' | 'main'
  /** Null: a line that is no event. */
  readonly event: Event | null
}

/** All that an agent will do. */
export interface Behaviour {
  readonly writings: readonly Writing[]
  /** When it ends of its own accord, and how; null: never. */
  readonly end: { readonly at: number; readonly how: AgentEnd } | null
  /** Done, but it does not go. */
  readonly lingers: boolean
}

export interface Circumstances {
  readonly n: number
  readonly runId: string
  readonly brief: Brief
  readonly random: Random
  /** Ids of waves that were dispatched before: some are dispatched again. */
  readonly knownWaves: readonly string[]
  /** How far the run has come; the longer it takes, the more agents complete. */
  readonly iteration: number
}

export function behave(of: Circumstances): Behaviour {
  return of.brief.kind === 'iteration' ? iterate(of, of.brief.hats) : work(of)
}

function iterate(of: Circumstances, hats: readonly Hat[]): Behaviour {
  const { random, n } = of
  let k = 0
  const payload = (): string => {
    k += 1
    return random.chance(0.05) ? 'the same' : `${n}.${k}`
  }
  const mine = hats.flatMap((one) => one.publishes.filter((topic) => topic !== PROMISE))
  const topic = (): string => topicOf(random, random.chance(0.08) ? ['elsewhere.go', 'item.go'] : mine)
  const plain = (): Event => ({ topic: topic(), payload: inline(payload()) })
  const events: (Event | null)[] = []
  let end: Partial<AgentEnd> = {}
  let never = false
  let lingers = false

  const completes = of.iteration > random.int(3, 12)
  const what = completes
    ? 'complete'
    : random.weighted({
        plain: 20,
        wave: 30,
        silent: 3,
        fail: 5,
        trouble: 3,
        complete: 5,
        hang: 3,
        human: 3,
        cancel: 1,
        text: 3,
        bad: 3,
      })
  switch (what) {
    case 'plain':
      for (let i = random.int(1, 4); i > 0; i--) events.push(plain())
      break
    case 'wave':
      for (let i = random.weighted({ '1': 6, '2': 2, '3': 1 }); Number(i) > 0; i = `${Number(i) - 1}` as '1')
        events.push(...dispatch(of, mine, `w-${n}-${i}`, payload))
      if (random.chance(0.2)) events.push(plain())
      if (random.chance(0.1)) events.push({ topic: PROMISE, payload: inline('done') })
      break
    case 'silent':
      end = { scratchpadChanged: random.chance(0.3) }
      break
    case 'fail':
      if (random.chance(0.3)) events.push(plain())
      end = failure(random)
      break
    case 'trouble':
      end = refusal(random, random.pick(['rate_limit', 'overload', 'rate_limit', 'auth', 'quota']))
      break
    case 'complete':
      if (random.chance(0.2)) events.push({ topic: 'human.guidance.ack', payload: inline('') })
      if (random.chance(0.6)) events.push({ topic: PROMISE, payload: inline('done') })
      else end = { finalMessage: inline(`bye\n${PROMISE}`), lastLine: PROMISE }
      if (random.chance(0.1)) events.push(plain())
      break
    case 'hang':
      if (random.chance(0.5)) events.push(plain())
      never = true
      lingers = random.chance(0.5)
      break
    case 'human':
      events.push({ topic: random.pick(['human.guidance', 'human.note']), payload: inline('hello') }, plain())
      break
    case 'cancel':
      events.push({ topic: CANCEL, payload: inline('') }, ...dispatch(of, mine, `w-${n}-c`, payload))
      break
    case 'text':
      end = { textEvents: [plain(), plain()] }
      break
    case 'bad':
      events.push(null)
      if (random.chance(0.5)) events.push(plain())
      break
  }
  const signed = events.map((event) => sign(of, event))
  return play(of, signed, { end, never, lingers })
}

/** The lines of one `ralph wave emit`, sometimes with something wrong. */
function dispatch(
  of: Circumstances,
  topics: readonly string[],
  fresh: string,
  payload: () => string,
): Event[] {
  const { random, knownWaves } = of
  const id = random.weighted({ fresh: 40, old: 1, bad: 1 })
  const wave = id === 'old' ? (random.pick(knownWaves) ?? fresh) : id === 'bad' ? '.hidden/../id' : fresh
  const count = random.chance(0.05) ? random.int(8, 30) : random.int(1, 7)
  const shared = random.chance(0.5) ? topicOf(random, topics) : null
  const total = random.weighted({ right: 20, more: 3, less: 1, none: 1, differing: 1 })
  const lines = Array.from({ length: count }, (_, i): Event => {
    const index = random.chance(0.02) ? random.int(0, count) : i
    const named = { right: count, more: count + 2, less: Math.max(1, count - 1), differing: count + (i % 3) }
    return {
      topic: random.chance(0.01) ? PROMISE : (shared ?? topicOf(random, topics)),
      payload: inline(payload()),
      wave: {
        id: wave,
        ...(random.chance(0.02) ? {} : { index }),
        ...(total === 'none' ? {} : { total: named[total] }),
      },
    }
  })
  return random.chance(0.05) ? lines.slice(1) : lines
}

function work(of: Circumstances): Behaviour {
  const { random, n, brief } = of
  const topics = brief.kind === 'worker' ? brief.hat.publishes : []
  let k = 0
  const result = (): Event => ({
    topic: topicOf(
      random,
      topics.filter((one) => one !== PROMISE),
    ),
    payload: inline(`${n}.${++k}`),
  })
  const events: (Event | null)[] = []
  let end: Partial<AgentEnd> = {}
  let never = false
  let lingers = false
  const what = random.weighted({
    results: 60,
    message: 8,
    empty: 2,
    crash: 8,
    trouble: 8,
    locked: 1,
    hang: 4,
    refused: 4,
    nested: 2,
    bad: 2,
    text: 3,
  })
  switch (what) {
    case 'results':
      for (let i = random.weighted({ '1': 8, '2': 2 }); Number(i) > 0; i = `${Number(i) - 1}` as '1')
        events.push(result())
      break
    case 'message':
      end = { finalMessage: inline(`message ${n}`), lastLine: `message ${n}` }
      break
    case 'empty':
      break
    case 'crash':
      if (random.chance(0.4)) events.push(result())
      end = failure(random)
      break
    case 'trouble':
      if (random.chance(0.15)) events.push(result())
      end = refusal(random, random.pick(['rate_limit', 'overload', 'network', 'rate_limit', 'network']))
      break
    case 'locked':
      end = refusal(random, random.pick(['auth', 'quota', 'locked']))
      break
    case 'hang':
      if (random.chance(0.4)) events.push(result())
      never = true
      lingers = random.chance(0.4)
      break
    case 'refused':
      events.push({ topic: random.pick(['zzz', PROMISE, CANCEL, 'human.guidance']), payload: inline('no') })
      if (random.chance(0.5)) events.push(result())
      break
    case 'nested':
      events.push(result(), {
        topic: 'item.go',
        payload: inline('nested'),
        wave: { id: `n-${n}`, index: 0, total: 1 },
      })
      break
    case 'bad':
      events.push(null, result())
      break
    case 'text':
      end = { textEvents: [result()] }
      break
  }
  const to = random.chance(0.04) ? 'main' : 'own'
  const signed = events.map((event) => sign(of, event))
  return play(of, signed, { end, never, lingers, to })
}

/** Puts lines and end on the clock. What comes after the end is a left-over process writing. */
function play(
  { random }: Circumstances,
  events: readonly (Event | null)[],
  of: { end: Partial<AgentEnd>; never: boolean; lingers: boolean; to?: 'own' | 'main' },
): Behaviour {
  let at = random.int(1, 500)
  const isLate = random.chance(0.03)
  const endAt = random.chance(0.1) ? random.int(10_000, 200_000) : random.int(500, 9000)
  const writings = events.map((event): Writing => {
    at += random.chance(0.7) ? 0 : random.int(1, 300)
    return { at: isLate ? endAt + 10 : Math.min(at, endAt - 1), to: of.to ?? 'own', event }
  })
  const spent = {
    costUsd: random.chance(0.7) ? random.int(0, 30) / 100 : null,
    usage: random.chance(0.7)
      ? {
          input: random.int(10, 900),
          output: random.int(1, 99),
          cacheRead: random.int(0, 9),
          cacheWrite: 0,
          context: 100,
        }
      : null,
  }
  // A worker that ends without a result is then asked once more.
  const named = random.chance(0.5) ? { session: `s-${random.int(1, 999)}` } : {}
  const how: AgentEnd = { ...CLEAN, ...named, ...spent, ...of.end, durationMs: endAt }
  return { writings, end: of.never ? null : { at: endAt, how }, lingers: of.lingers }
}

function failure(random: Random): Partial<AgentEnd> {
  switch (random.weighted({ exit: 6, signal: 2, spawn: 2, short: 2 })) {
    case 'exit':
      return { exitCode: 1, failure: { class: 'crash', message: 'exit code 1' } }
    case 'signal':
      return { exitCode: null, signal: 'SIGSEGV', failure: { class: 'crash', message: 'SIGSEGV' } }
    case 'spawn':
      return { exitCode: null, spawnError: 'ENOENT: no such program', costUsd: null, usage: null }
    case 'short':
      return {
        exitCode: null,
        spawnError: 'EMFILE: too many open files',
        shortage: true,
        costUsd: null,
        usage: null,
      }
  }
}

function refusal(random: Random, kind: FailureClass): Partial<AgentEnd> {
  const wish = random.chance(0.3) ? { retryAfterMs: random.int(100, 60_000) } : {}
  return { exitCode: random.chance(0.5) ? 1 : 0, failure: { class: kind, message: kind, ...wish } }
}

function sign({ runId, n, random }: Circumstances, event: Event | null): Event | null {
  return event === null || random.chance(0.1) ? event : { ...event, agent: `${runId}:${n}` }
}

function topicOf(random: Random, patterns: readonly string[]): string {
  const pattern = random.pick(patterns) ?? 'work.start'
  return isConcrete(pattern) ? pattern : pattern.replaceAll('*', random.pick(['one', 'two', 'many', 'none']))
}
