import type { AgentEnd, Lapse, StopCause } from '../agent/end.ts'
import { unreachable } from '../result.ts'
import { keepDistance } from '../wave/pace.ts'
import { ease, squeeze } from '../wave/room.ts'
import { admit, refuse, serve, unlearn } from '../wave/throttle.ts'
import type { Cost, Work } from '../wave/wave.ts'
import { endItem, startItem } from './absorb-item.ts'
import { backendOf, playerOf } from './backends.ts'
import type { Fact } from './fact.ts'
import { warn } from './inbox.ts'
import type { BackendFacts, Running, State, Totals } from './state.ts'
import { findItem } from './work.ts'

type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>

/** An agent is about to be started: it counts from now on, whatever becomes of it. */
export function absorbIntended(state: State, fact: FactOf<'agent.intended'>): void {
  const { work, backend } = find(state, fact.work)
  checkStart(state, fact, work)
  noteStart(state, fact, backend)
  state.totals.agentsStarted += 1
  state.running.set(fact.n, {
    n: fact.n,
    work,
    attempt: fact.attempt,
    backend: backend.name,
    pid: null,
    process: null,
    stopping: null,
  })
  work.attempts = fact.attempt
  work.agent = fact.n
  work.player = playerOf(backend)
  work.startedMono ??= fact.mono
  if (work.wave !== null) startItem(state, work)
  else if (state.loop !== null) state.loop.phase = { at: 'acting' }
  work.status = 'running'
}

/** What must hold at each start, whatever decide thought: numbers in order, the caps of the run, an iteration alone. */
function checkStart(state: State, fact: FactOf<'agent.intended'>, work: Work): void {
  const { running, totals, rules } = state
  const { maxAgents, maxConcurrency } = rules.features
  if (fact.n !== totals.agentsStarted + 1)
    throw new Error(`agent ${fact.n} would start after ${totals.agentsStarted} others`)
  if (fact.n > maxAgents) throw new Error(`agent ${fact.n} would start, but max_agents is ${maxAgents}`)
  if (running.size >= (work.wave === null ? 1 : maxConcurrency))
    throw new Error(`agent ${fact.n} would start beside ${running.size} others`)
}

/** What the next start of the backend must heed. */
function noteStart(state: State, { n, mono }: FactOf<'agent.intended'>, backend: BackendFacts): void {
  const { name, startGapMs = 0 } = backend
  if (state.throttle.has(name)) admit(state.throttle, name, { n, running: countRunning(state, name) })
  keepDistance(state.paces, name, { gapMs: startGapMs, mono, key: `${state.run.id}:${n}` })
}

/** A clock of the agent ran out: it is to be ended, for the reason that the clock stands for. */
export function absorbLapsed(state: State, fact: FactOf<'agent.lapsed'>): void {
  const running = state.running.get(fact.n)
  if (running === undefined || running.stopping !== null) return
  state.due.push({ n: fact.n, cause: causeOf(fact.which) })
}

export function absorbStopping(state: State, fact: FactOf<'agent.stopping'>): void {
  const running = state.running.get(fact.n)
  if (running !== undefined) running.stopping ??= fact.cause
  state.due = state.due.filter((one) => one.n !== fact.n)
}

export function absorbEnded(state: State, fact: FactOf<'agent.ended'>): void {
  const running = state.running.get(fact.n)
  if (running === undefined) return
  state.running.delete(fact.n)
  if (state.due.length > 0) state.due = state.due.filter((one) => one.n !== fact.n)
  account(state, running, fact.end)
  feelPressure(state, running, fact)
  feelRoom(state, fact)
  const { loop } = state
  if (running.work.wave !== null) {
    endItem(state, running.work, fact)
  } else if (loop !== null && loop.current !== null) {
    loop.current.end = fact.end
    loop.phase = { at: 'reading', asked: false }
  }
}

function causeOf(which: Lapse): StopCause {
  switch (which) {
    case 'limit':
      return 'worker-timeout'
    case 'inactivity':
      return 'inactivity'
    case 'lingering':
      return 'lingering'
    case 'completion':
      return 'completion'
    default:
      return unreachable(which)
  }
}

function find(state: State, id: string): { work: Work; backend: BackendFacts } {
  const work = state.loop?.current?.work.id === id ? state.loop.current.work : findItem(state, id)?.work
  const backend = work && backendOf(state, work)
  if (work === undefined || backend === undefined) throw new Error(`the journal names an unknown work: ${id}`)
  return { work, backend }
}

/** While a provider pushes back, fewer agents of its backend run; those that end well make room again. */
function feelPressure(
  state: State,
  { n, backend, work }: Running,
  { end, mono }: FactOf<'agent.ended'>,
): void {
  if (work.wave === null) return
  const { failure, stoppedFor, spawnError } = end
  const { features } = state.rules
  if (failure?.class === 'rate_limit' || failure?.class === 'overload') {
    const told = refuse(state.throttle, backend, {
      n,
      others: countRunning(state, backend),
      started: state.totals.agentsStarted,
      mono,
      backoffMs: features.retry.backoffSeconds * 1000,
      wishMs: failure.retryAfterMs ?? 0,
    })
    if (told !== null)
      warn(state, 'throttled', pressureText(state, backend, { told, class: failure.class, mono }))
  } else if (failure === null && spawnError === null && (stoppedFor === null || stoppedFor === 'lingering')) {
    serve(state.throttle, backend, { n, most: features.maxConcurrency })
  } else {
    unlearn(state.throttle, backend, n)
  }
}

function pressureText(
  state: State,
  backend: string,
  of: { told: 'fewer' | 'none'; class: string; mono: number },
): string {
  const pressure = state.throttle.get(backend)
  const rest =
    of.told === 'fewer'
      ? `at most ${pressure?.limit ?? 1} of its agents at once for now`
      : `none of its agents starts for ${Math.round(((pressure?.heldUntil ?? of.mono) - of.mono) / 1000)} s`
  return `${backend} pushes back (${of.class}): ${rest}`
}

/** While the machine lets no more agents start, fewer of them run. */
function feelRoom(state: State, { end, mono }: FactOf<'agent.ended'>): void {
  const { room, running, rules } = state
  if (end.shortage !== true) {
    room.refusals = 0
    ease(room, mono, rules.features.maxConcurrency)
  } else if (running.size > 0 && squeeze(room, running.size, mono)) {
    warn(state, 'short', `${end.spawnError}: fewer agents run at once for now, and the other items wait`)
  }
}

function countRunning(state: State, backend: string): number {
  let count = 0
  for (const running of state.running.values()) if (running.backend === backend) count += 1
  return count
}

/** Cost and tokens of every agent count for the run (contract/loop §10.1). */
function account(state: State, running: Running, end: AgentEnd): void {
  const { totals } = state
  const { work } = running
  const cost = costOf(end, backendOf(state, work))
  if ('usd' in cost) {
    totals.costUsd += cost.usd
    if (totals.costSource !== 'derived') totals.costSource = cost.source
  } else if (end.spawnError === null) {
    totals.unknownCosts += 1
  }
  work.cost = addCosts(work.cost, cost)
  countInnerRuns(totals, end)
  if (end.usage === null) return
  totals.inputTokens += end.usage.input
  totals.outputTokens += end.usage.output
  const before = work.usage
  work.usage =
    before === null
      ? end.usage
      : {
          input: before.input + end.usage.input,
          output: before.output + end.usage.output,
          cacheRead: before.cacheRead + end.usage.cacheRead,
          cacheWrite: before.cacheWrite + end.usage.cacheWrite,
          context: Math.max(before.context, end.usage.context),
        }
}

/** What an agent's own runs spent counts for this run; the agent's own figures stay its own. */
function countInnerRuns(totals: Totals, { inner }: AgentEnd): void {
  if (inner === undefined) return
  totals.inputTokens += inner.inputTokens
  totals.outputTokens += inner.outputTokens
  if (inner.costUsd === null) return
  totals.costUsd += inner.costUsd
  totals.costSource ??= 'reported'
}

/** Reported, else derived from tokens and a price, else unknown. */
function costOf(end: AgentEnd, backend: BackendFacts | undefined): Cost {
  if (end.costUsd !== null) return { usd: end.costUsd, source: 'reported' }
  const price = backend?.price
  if (end.usage === null || price === undefined) return { unknown: true }
  const fresh = end.usage.input - end.usage.cacheRead
  const usd =
    (fresh * price.input + end.usage.cacheRead * price.cachedInput + end.usage.output * price.output) /
    1_000_000
  return { usd, source: 'derived' }
}

/** The sum of what is known; derived if a part of it is. */
function addCosts(a: Cost, b: Cost): Cost {
  if (!('usd' in a)) return b
  if (!('usd' in b)) return a
  return {
    usd: a.usd + b.usd,
    source: a.source === 'derived' || b.source === 'derived' ? 'derived' : 'reported',
  }
}
