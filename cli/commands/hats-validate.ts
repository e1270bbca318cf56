import type { Settings } from '../../core/config/settings.ts'
import { RalphError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { isConcrete, type Topic } from '../../core/topic.ts'
import { createTopology } from '../../core/topology.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { startingEventProblem } from '../starting-event.ts'
import { writeOut } from '../stdout.ts'

const spec = {
  name: 'hats validate',
  summary: 'Checks that the events of a config find their hats',
  examples: ['ralph hats validate', 'ralph hats validate -H ./presets/review.yml'],
  positionals: [],
  flags: GLOBAL_FLAGS,
} as const satisfies LeafSpec

/** `ralph hats validate`: exit 1 if nobody receives the starting event. A topic that falls to the coordinator is no fault. */
export const hatsValidate: Command = createCommand(spec, async ({ flags }) => {
  const { loadHats } = await import('../hats.ts')
  const settings = await loadHats(flags)
  const { hats } = settings
  if (hats.length === 0) {
    writeOut('no hats: ralph itself plays the whole run\n')
    return 0
  }
  for (const remark of remarks(settings)) writeOut(`${remark}\n`)
  const problem = startingEventProblem(settings)
  if (problem !== null) throw new RalphError('starting_event', problem.text, problem)
  writeOut(`${hats.length} hats: every event finds its way\n`)
  return 0
})

/** What falls to the coordinator: meant so, or a misspelling. */
function remarks({ hats, eventLoop }: Settings): readonly string[] {
  const topology = createTopology(hats)
  const { completionPromise, cancellationPromise } = eventLoop
  const controls = [completionPromise, cancellationPromise]
  const awaited = [...hats.flatMap((hat) => hat.triggers), completionPromise].filter(isConcrete)
  const published = new Set(hats.flatMap((hat) => hat.publishes))
  const misspelt = (topic: Topic): string => {
    const guess = nearest(
      topic,
      awaited.filter((one) => !published.has(one)),
    )
    return guess === null ? '' : `; did you mean ${guess}?`
  }
  return hats.flatMap((hat) =>
    hat.publishes
      .filter((topic) => isConcrete(topic) && !controls.includes(topic) && !topology.receiver(topic))
      .map((topic) => `${hat.id}: ${topic} goes to the coordinator${misspelt(topic)}`),
  )
}
