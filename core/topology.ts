import type { Hat, HatId } from './hat.ts'
import { isConcrete, matches, type Pattern, type Topic } from './topic.ts'

/** The hats and the routes between them. The one place that knows who receives a topic. */
export interface Topology {
  /** In config order, which is routing order. */
  readonly hats: readonly Hat[]
  hat(id: HatId): Hat | undefined
  /** The hat that receives `topic`: first specific match, else the lone `*`, else null for the coordinator. */
  receiver(topic: Topic): Hat | null
  /** Hats that a published pattern reaches: the receiver of a concrete topic, else the receivers of the concrete triggers it matches. */
  reached(pattern: Pattern): readonly Hat[]
  /** Hats to which one of `hat`'s published topics routes, in config order. */
  downstream(hat: HatId): readonly Hat[]
  /** Aggregators that `hat` feeds, directly or through hats with concurrency above 1, in config order. */
  aggregatorsOf(hat: HatId): readonly Hat[]
}

export function createTopology(hats: readonly Hat[]): Topology {
  const byId = new Map(hats.map((hat) => [hat.id, hat]))
  const order = new Map(hats.map((hat, i) => [hat.id, i]))
  const inOrder = (set: Iterable<Hat>): readonly Hat[] =>
    [...set].sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
  const concreteTriggers = hats.flatMap((hat) => hat.triggers.filter(isConcrete))
  const routes = new Map<Topic, Hat | null>()

  const receiver = (topic: Topic): Hat | null => {
    const known = routes.get(topic)
    if (known !== undefined) return known
    const specific = hats.find((hat) => hat.triggers.some((t) => t !== '*' && matches(t, topic)))
    const found = specific ?? hats.find((hat) => hat.triggers.includes('*')) ?? null
    if (routes.size < 4096) routes.set(topic, found)
    return found
  }
  const reached = (pattern: Pattern): readonly Hat[] => {
    const topics = isConcrete(pattern) ? [pattern] : concreteTriggers.filter((t) => matches(pattern, t))
    const found = new Set<Hat>()
    for (const topic of topics) {
      const hat = receiver(topic)
      if (hat) found.add(hat)
    }
    return inOrder(found)
  }
  const downstream = (id: HatId): readonly Hat[] =>
    inOrder(new Set((byId.get(id)?.publishes ?? []).flatMap((pattern) => reached(pattern))))

  const aggregatorsOf = (id: HatId): readonly Hat[] => {
    const found = new Set<Hat>()
    const seen = new Set<HatId>()
    const visit = (from: HatId): void => {
      if (seen.has(from)) return
      seen.add(from)
      for (const hat of downstream(from)) {
        if (hat.aggregate) found.add(hat)
        else if (hat.concurrency > 1) visit(hat.id)
      }
    }
    visit(id)
    return inOrder(found)
  }
  return { hats, hat: (id) => byId.get(id), receiver, reached, downstream, aggregatorsOf }
}
