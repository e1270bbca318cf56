import type { Role } from '../../../core/backend/contract.ts'
import type { Hat } from '../../../core/hat.ts'
import { isConcrete, matchesAny, type Topic } from '../../../core/topic.ts'
import { distanceOf, distancesToEnd, type Option, optionsOf, type Routes, topicsOf } from './routes.ts'

/**
 * What an actor does with its turn. The rule behind all of them: every route of the graph is taken once, then the shortest
 * way to the completion promise is taken. So any collection ends, and a rehearsal has seen all of it.
 */
export type Move =
  | Option
  | { readonly kind: 'complete' }
  /** Says its piece and emits nothing. */
  | { readonly kind: 'rest' }

/** How often a topic was emitted or dispatched in this run. */
export type Used = (topic: Topic) => number

export function hatMove(hat: Hat, start: number, routes: Routes, used: Used): Move {
  // A hat without `publishes` first leaves the stage to its `default_publishes`, if it has one.
  if (hat.publishes.length === 0) return { kind: start > 1 ? 'complete' : 'rest' }
  const options = optionsOf(routes.publishable(hat.publishes), routes.topology)
  const patient = start <= routes.topics.length + 2
  const fresh = options.find((option) => reachesHat(option) && isFresh(option, used))
  if (fresh && patient) return fresh
  if (routes.mayComplete(hat) || !patient) return { kind: 'complete' }
  return nearest(options, routes) ?? { kind: 'complete' }
}

export function coordinatorMove(routes: Routes, used: Used): Move {
  const fresh = optionsOf(entriesOf(routes, used), routes.topology).find((option) => isFresh(option, used))
  return fresh ?? { kind: 'complete' }
}

/** A rejected completion names what is missing: whoever gets to know it emits that first. Null: nothing is named. */
export function missingMove(events: Role['events'], routes: Routes, used: Used): Move | null {
  const reasons = events.filter((event) => event.topic === 'task.resume').map((event) => event.payload)
  const known = new Set(reasons.flatMap(wordsOf))
  const topic =
    routes.topics.find((one) => known.has(one) && used(one) === 0) ??
    reasons.flatMap(strangersOf).find((one) => !routes.isControl(one) && used(one) === 0)
  return topic === undefined ? null : { kind: 'pass', topic, to: routes.topology.receiver(topic) }
}

/** The topic of a worker's result: one that leads to an aggregator, else to the next stage, else the first; null: none. */
export function resultTopic(hat: Hat, routes: Routes): Topic | null {
  const topics = routes.publishable(hat.publishes)
  const leads = (rule: (to: Hat) => boolean): Topic | undefined =>
    topics.find((topic) => {
      const to = routes.topology.receiver(topic)
      return to !== null && rule(to)
    })
  return leads((to) => to.aggregate !== undefined) ?? leads((to) => to.concurrency > 1) ?? topics[0] ?? null
}

/** One agent plays several hats: it completes only if none of them hands anything over, and then once. */
export function agree(moves: readonly Move[]): readonly Move[] {
  const onward = moves.filter((move) => move.kind === 'pass' || move.kind === 'wave')
  if (onward.length > 0) return onward
  return [moves.find((move) => move.kind === 'complete') ?? { kind: 'rest' }]
}

function isFresh(option: Option, used: Used): boolean {
  return topicsOf(option).some((topic) => used(topic) === 0)
}

function reachesHat(option: Option): boolean {
  return option.kind === 'wave' || option.to !== null
}

function nearest(options: readonly Option[], routes: Routes): Option | null {
  const distances = distancesToEnd(routes)
  let best: Option | null = null
  let least = Number.POSITIVE_INFINITY
  for (const option of options) {
    const distance = distanceOf(option, distances)
    if (distance < least) [best, least] = [option, distance]
  }
  return best
}

/** Topics that start something and come from no hat. In a graph that is one circle: its first trigger, once. */
function entriesOf({ topology, topics, isControl }: Routes, used: Used): readonly Topic[] {
  const published = topology.hats.flatMap((hat) => hat.publishes)
  const triggers = topology.hats
    .flatMap((hat) => hat.triggers)
    .map((trigger) =>
      isConcrete(trigger) ? trigger : trigger === '*' ? 'work.start' : trigger.replaceAll('*', 'start'),
    )
    .filter((topic) => !isControl(topic))
  const entries = triggers.filter((topic) => !matchesAny(published, topic))
  if (entries.length > 0) return [...new Set(entries)]
  const begun = topics.some((topic) => used(topic) > 0)
  return begun ? [] : triggers.slice(0, 1)
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}._-]+/u).map((word) => word.replace(/^\.+|\.+$/g, ''))
}

/** Required topics that no hat knows: a reason that speaks of required events lists them after its last colon. */
function strangersOf(reason: string): readonly string[] {
  const colon = reason.lastIndexOf(':')
  if (colon === -1 || !/required/i.test(reason)) return []
  return wordsOf(reason.slice(colon)).filter((word) => word !== '')
}
