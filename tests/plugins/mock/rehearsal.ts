import type { Role, RoleHat } from '../../../core/backend/contract.ts'
import {
  agree,
  coordinatorMove,
  hatMove,
  missingMove,
  resultTopic,
} from '../../../plugins/mock/improvise/moves.ts'
import { createRoutes, type Lane } from '../../../plugins/mock/improvise/routes.ts'

export interface Rehearsed {
  readonly end: 'completed' | 'rejected' | 'too long'
  readonly turns: number
  readonly used: ReadonlyMap<string, number>
  /** Who acted, in order. */
  readonly actors: readonly string[]
}

/** `a: x.go, y.* -> x.done; 3 agg`, one hat a line: a number is its concurrency, `agg` makes it an aggregator. */
export function graphOf(text: string): readonly RoleHat[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [, id = '', triggers = '', publishes = '', flags = ''] =
        /^\s*(\S+):\s*(.*?)\s*->\s*([^;]*?)\s*(?:;\s*(.*?))?\s*$/.exec(line) ?? []
      const list = (names: string): readonly string[] => names.split(/[\s,]+/).filter((name) => name !== '')
      return {
        id,
        name: id,
        triggers: list(triggers),
        publishes: list(publishes),
        concurrency: Number(/\d+/.exec(flags)?.[0] ?? 1),
        aggregate: flags.includes('agg'),
      }
    })
}

/** Plays a graph by the mock's moves alone, with the routing of the contract, up to 100 turns. */
export function rehearse(
  graph: readonly RoleHat[],
  start: string,
  completion: string,
  required: readonly string[] = [],
): Rehearsed {
  const routes = createRoutes(graph, completion, undefined)
  const { topology } = routes
  const used = new Map<string, number>()
  const starts = new Map<string, number>()
  const actors: string[] = []
  const count = (map: Map<string, number>, key: string): number => {
    map.set(key, (map.get(key) ?? 0) + 1)
    return map.get(key) ?? 0
  }
  const results = (lanes: readonly Lane[], depth = 0): readonly string[] =>
    lanes.flatMap(({ hat, topics }) =>
      topics.flatMap((topic) => {
        count(used, topic)
        const result = resultTopic(hat, routes)
        if (result === null) return []
        const next = topology.receiver(result)
        if (next && next.concurrency > 1 && depth < 4)
          return results([{ hat: next, topics: [result] }], depth + 1)
        count(used, result)
        return [result]
      }),
    )
  const report = (end: Rehearsed['end'], turns: number): Rehearsed => ({ end, turns, used, actors })

  let pending: readonly string[] = [start]
  let events: Role['events'] = []
  let addressed: readonly string[] = []
  let rejections = 0
  count(used, start)
  for (let turn = 1; turn <= 100; turn += 1) {
    const receivers = pending.flatMap((topic) => topology.receiver(topic)?.id ?? [])
    const hats = [...new Set([...addressed, ...receivers])]
    const active = hats.length > 0 ? hats : ['(coordinator)']
    actors.push(active.join('+'))
    const moves = agree(
      active.map((actor) => {
        const hat = topology.hat(actor)
        const n = count(starts, actor)
        const usedOf = (topic: string): number => used.get(topic) ?? 0
        const missing = missingMove(events, routes, usedOf)
        return missing ?? (hat ? hatMove(hat, n, routes, usedOf) : coordinatorMove(routes, usedOf))
      }),
    )
    pending = moves.flatMap((move) => {
      if (move.kind === 'wave') return results(move.lanes)
      if (move.kind !== 'pass') return []
      count(used, move.topic)
      return [move.topic]
    })
    addressed = moves.some((move) => move.kind === 'rest') ? hats : []
    events = []
    if (moves.some((move) => move.kind === 'complete')) {
      const missing = required.filter((topic) => !used.has(topic))
      if (missing.length === 0) return report('completed', turn)
      rejections += 1
      if (rejections > 3) return report('rejected', turn)
      events = [
        {
          topic: 'task.resume',
          payload: `Not complete: required events were not seen: ${missing.join(', ')}.`,
        },
      ]
    }
  }
  return report('too long', 100)
}
