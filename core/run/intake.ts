import { blobKey } from '../blob.ts'
import { isControl, isHuman } from '../control.ts'
import type { BadLine, Event } from '../event.ts'
import { formatWaveId } from '../events-file/record.ts'
import type { HatId } from '../hat.ts'
import { matchesAny } from '../topic.ts'
import { collectDispatch, isDispatch } from '../wave/detect.ts'
import { mayPublish } from '../wave/guard.ts'
import { inferWaves } from '../wave/infer.ts'
import { controlTopics } from './control-topics.ts'
import { deliver, publish, warn } from './inbox.ts'
import type { Iteration, Loop } from './loop.ts'
import { withoutReplaced } from './replaced.ts'
import type { State } from './state.ts'
import { agentOf } from './work.ts'

/**
 * Handles all lines that were read since the last time, as what the iteration's agent said (contract/loop §4.5, in that order).
 * Lines of workers never come here. `at`: wall clock of the read, for the ids of inferred waves.
 */
export function takeIn(state: State, loop: Loop, iteration: Iteration, at: number): void {
  const events = loop.backlog
  const bad = loop.badBacklog
  loop.backlog = []
  loop.badBacklog = []
  const inherited = new Set(events.slice(0, loop.inherited))
  const counted = withoutReplaced(state, loop, events)
  loop.inherited = 0

  reportBadLines(state, iteration, bad)
  iteration.goodLines += events.length
  const { dispatches, plain } = setDispatchesApart(state, loop, counted)
  const allowed = enforceScope(state, iteration, dropLateLines(state, plain))
  iteration.accepted += [...dispatches, ...allowed].filter((event) => !inherited.has(event)).length

  takeCancellation(state, loop, allowed)
  takeGuidance(loop, allowed)
  takeCompletion(state, iteration, allowed)
  const control = controlTopics(state)
  const ordinary = allowed.filter((event) => !isControl(control, event.topic))
  const rest = takeInferredWaves(state, loop, iteration, { events: ordinary, at })
  for (const event of rest) deliverPlain(state, loop, iteration, event)
}

/** Records an event as seen and delivers it. */
export function deliverPlain(state: State, loop: Loop, iteration: Iteration, event: Event): void {
  loop.seenTopics.add(event.topic)
  iteration.plain.push(`${event.topic}\n${blobKey(event.payload)}`)
  deliver(state, event)
}

/** Patterns that all hats active in the last prompt may publish together; null: no restriction. */
export function allowedPatterns(state: State, hats: readonly HatId[]): readonly string[] | null {
  const active = hats.map((id) => state.topology.hat(id))
  if (active.length === 0 || active.some((hat) => hat === undefined || hat.publishes.length === 0))
    return null
  return active.flatMap((hat) => hat?.publishes ?? [])
}

function reportBadLines(state: State, iteration: Iteration, bad: readonly BadLine[]): void {
  iteration.badLines += bad.length
  for (const line of bad) {
    const payload = `Line ${line.line} of the events file is no event: ${line.reason}. It begins: ${line.excerpt}`
    publish(state, { topic: 'event.malformed', payload })
    warn(state, 'event_malformed', payload)
  }
}

function setDispatchesApart(
  state: State,
  loop: Loop,
  events: readonly Event[],
): { dispatches: readonly Event[]; plain: readonly Event[] } {
  const plain: Event[] = []
  const dispatches: Event[] = []
  for (const event of events) {
    if (isDispatch(event, (id) => state.knownWaves.has(id))) {
      dispatches.push(event)
      const warning = collectDispatch(loop.dispatches, event)
      if (warning !== null) warn(state, 'wave_inconsistent', warning)
    } else {
      plain.push(event)
    }
  }
  return { dispatches, plain }
}

/**
 * Lines of workers whose wave is merged, or that no longer run: a tagged one is an ordinary event of its hat, by that
 * hat's rules (contract/waves §6.1, §12.1); what else a worker writes after its end is ignored (§7).
 */
function dropLateLines(state: State, plain: readonly Event[]): readonly Event[] {
  return plain.filter((event) => {
    const isLate = event.wave !== undefined || isWorkers(state, event)
    if (!isLate || mayComeLate(state, event)) return true
    const from = event.wave === undefined ? 'a worker that has ended' : `wave ${event.wave.id}`
    warn(state, 'late_line', `${event.topic} was ignored: a late line of ${from}`)
    return false
  })
}

function mayComeLate(state: State, { wave: tag, topic }: Event): boolean {
  if (tag === undefined || isControl(controlTopics(state), topic)) return false
  const wave = state.waves.get(tag.id) ?? state.merged.get(tag.id)
  if (wave === undefined) return true
  const own = tag.index === undefined ? undefined : wave.byIndex.get(tag.index)?.hat
  return Object.values(wave.hats).some(
    (hat) => (own === undefined || hat.id === own) && mayPublish(hat, controlTopics(state), topic),
  )
}

function isWorkers(state: State, event: Event): boolean {
  const n = agentOf(state, event)
  return n !== null && state.workerAgents.has(n)
}

/** Drops what active hats may not publish, where the config asks for it. Control topics are exempt. */
function enforceScope(state: State, iteration: Iteration, plain: readonly Event[]): readonly Event[] {
  const [first] = iteration.hats
  if (!state.rules.eventLoop.enforceHatScope || first === undefined) return plain
  const control = controlTopics(state)
  const patterns = iteration.hats.flatMap((id) => state.topology.hat(id)?.publishes ?? [])
  const refused = plain.filter(
    (event) =>
      event.wave === undefined && !isControl(control, event.topic) && !matchesAny(patterns, event.topic),
  )
  if (refused.length === 0) return plain
  publishScopeViolation(state, {
    hat: first,
    topics: refused.map((event) => event.topic),
    allowed: patterns,
  })
  return plain.filter((event) => !refused.includes(event))
}

/** Tells the next prompt that topics were refused, and which are allowed. */
export function publishScopeViolation(
  state: State,
  of: { hat: HatId; topics: readonly string[]; allowed: readonly string[] },
): void {
  const topics = [...new Set(of.topics)].join(', ')
  const allowed = of.allowed.length === 0 ? 'none' : of.allowed.join(', ')
  const payload = `Refused, because ${of.hat} does not publish it: ${topics}. Allowed: ${allowed}.`
  publish(state, { topic: `${of.hat}.scope_violation`, payload })
  warn(state, 'scope_violation', payload)
}

function takeCancellation(state: State, loop: Loop, events: readonly Event[]): void {
  const { cancellationPromise } = state.rules.eventLoop
  if (cancellationPromise !== undefined && events.some((event) => event.topic === cancellationPromise)) {
    loop.cancelled = true
  }
}

function takeGuidance(loop: Loop, events: readonly Event[]): void {
  for (const event of events) {
    if (event.topic === 'human.guidance') {
      loop.guidance.push(event.payload)
      loop.unnoted.push(event.payload)
    } else if (event.topic === 'human.guidance.ack') loop.guidance = []
    else if (isHuman(event.topic)) loop.humanNotes.push(event)
  }
}

/** A completion event counts only if no plain event follows it in the read; `human.*` does not count as following. */
function takeCompletion(state: State, iteration: Iteration, events: readonly Event[]): void {
  const promise = state.rules.eventLoop.completionPromise
  const last = events.findLastIndex((event) => event.topic === promise)
  const asked = events[last]
  if (asked === undefined) return
  const follower = events.slice(last + 1).find((event) => !isHuman(event.topic))
  if (follower !== undefined) {
    warn(state, 'completion_ignored', `${promise} was ignored, because ${follower.topic} followed it`)
    return
  }
  iteration.completionAsked = { by: 'event', payload: asked.payload }
}

function takeInferredWaves(
  state: State,
  loop: Loop,
  iteration: Iteration,
  of: { events: readonly Event[]; at: number },
): readonly Event[] {
  if (loop.cancelled) return of.events
  const patterns = allowedPatterns(state, iteration.hats)
  const inScope = of.events.filter((event) => patterns === null || matchesAny(patterns, event.topic))
  const { waves, rest } = inferWaves(inScope, state.topology, () => {
    loop.inferred += 1
    return formatWaveId(BigInt(Math.trunc(of.at)) * 1_000_000n, state.run.pid, loop.inferred)
  })
  loop.dispatches.push(...waves)
  const stays = new Set(rest)
  return of.events.filter((event) => stays.has(event) || !inScope.includes(event))
}
