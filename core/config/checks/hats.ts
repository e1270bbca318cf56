import type { Hat } from '../../hat.ts'
import { isConcrete, matches, type Pattern, type Topic } from '../../topic.ts'
import { type ConfigFault, keyFault, valueFault } from '../fault.ts'
import { show } from '../schema/field.ts'
import type { RawHat } from '../schema.ts'
import type { Findings, Merged } from './findings.ts'

/** Topics that the loop itself uses to start an iteration; only patterns may match them. */
const START_TOPICS = ['task.start', 'task.resume']

/** Hats by themselves and as neighbours: names, triggers, who gets what (contract/loop §2.4, §2.5). */
export function checkHats(merged: Merged): Findings {
  const { tree, raw, settings } = merged
  const faults: ConfigFault[] = []
  const warnings: ConfigFault[] = []
  for (const { id } of settings.hats) {
    const hat = raw.hats?.[id] ?? {}
    faults.push(...hatFaults(merged, id, hat))
    if (!hat.description?.trim()) {
      const text = `hat "${id}" has no description: hats that hand over to it see only its name`
      warnings.push(keyFault(tree, ['hats', id, 'description'], text))
    }
  }
  return {
    faults: [...faults, ...sharedTriggers(merged)],
    warnings: [...warnings, ...overlaps(merged)],
  }
}

function hatFaults({ tree }: Merged, id: string, hat: RawHat): readonly ConfigFault[] {
  const faults: ConfigFault[] = []
  if (!hat.name?.trim()) faults.push(keyFault(tree, ['hats', id, 'name'], `required for hat "${id}"`))
  if (hat.aggregate && hat.aggregate.mode == null) {
    faults.push(keyFault(tree, ['hats', id, 'aggregate', 'mode'], 'required: the only mode is wait_for_all'))
  }
  hat.triggers?.forEach((trigger, i) => {
    if (!START_TOPICS.includes(trigger)) return
    const text = `${trigger} starts the loop and cannot be a trigger of its own; use starting_event, or a pattern such as "task.*"`
    faults.push(valueFault(tree, ['hats', id, 'triggers', i], text))
  })
  return [...faults, ...backendForm({ tree, id, hat })]
}

/** A hat's backend is a name, or `{type, …}`, or `{command, …}`. */
function backendForm({
  tree,
  id,
  hat,
}: {
  readonly tree: Merged['tree']
  readonly id: string
  readonly hat: RawHat
}): readonly ConfigFault[] {
  const backend = hat.backend
  if (!backend || typeof backend === 'string') return []
  const path = ['hats', id, 'backend']
  if ((backend.type == null) === (backend.command == null)) {
    return [valueFault(tree, path, 'needs either type (a backend) or command (a program)')]
  }
  const foreign = backend.command == null ? (['prompt_mode', 'prompt_flag'] as const) : (['agent'] as const)
  const partner = backend.command == null ? 'command' : 'type'
  return foreign
    .filter((key) => backend[key] != null)
    .map((key) => keyFault(tree, [...path, key], `goes with ${partner} only`))
}

/** The same trigger on two hats: nobody could say who gets the event. */
function sharedTriggers({ tree, settings }: Merged): readonly ConfigFault[] {
  const owners = new Map<Pattern, Hat>()
  const faults: ConfigFault[] = []
  for (const hat of settings.hats) {
    hat.triggers.forEach((trigger, i) => {
      const owner = owners.get(trigger)
      if (owner === undefined) owners.set(trigger, hat)
      else if (owner !== hat) {
        const text = `${show(trigger)} is a trigger of hat "${owner.id}" and of hat "${hat.id}"; only one of them can have it`
        faults.push(valueFault(tree, ['hats', hat.id, 'triggers', i], text))
      }
    })
  }
  return faults
}

/** Different patterns of two hats that match the same topic: one warning for each pair. */
function overlaps({ tree, settings, topology }: Merged): readonly ConfigFault[] {
  const { completionPromise, cancellationPromise } = settings.eventLoop
  const topics = new Set<Topic>(settings.hats.flatMap((hat) => [...hat.triggers, ...hat.publishes]))
  const warned = new Set<string>()
  const warnings: ConfigFault[] = []
  for (const topic of topics) {
    if (!isConcrete(topic) || topic === completionPromise || topic === cancellationPromise) continue
    const winner = topology.receiver(topic)
    const won = winner && specificTrigger(winner, topic)
    if (winner === null || won === undefined || won === null) continue
    for (const loser of settings.hats) {
      const lost = specificTrigger(loser, topic)
      if (loser === winner || lost === undefined || lost === won) continue
      const pair = `${winner.id} ${loser.id}`
      if (warned.has(pair)) continue
      warned.add(pair)
      const text = `hats "${winner.id}" (${won}) and "${loser.id}" (${lost}) both match ${topic}; "${winner.id}" gets it, since it comes first`
      warnings.push(valueFault(tree, ['hats', loser.id, 'triggers', loser.triggers.indexOf(lost)], text))
    }
  }
  return warnings
}

/** The first trigger that matches, the catch-all aside: that one yields to every other by design. */
function specificTrigger(hat: Hat, topic: Topic): Pattern | undefined {
  return hat.triggers.find((trigger) => trigger !== '*' && matches(trigger, topic))
}
