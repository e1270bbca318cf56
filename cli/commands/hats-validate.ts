import { isConcrete } from '../../core/topic.ts'
import { createTopology } from '../../core/topology.ts'
import { GLOBAL_FLAGS } from '../arguments.ts'
import { type Command, createCommand, type LeafSpec } from '../command.ts'
import { writeErr, writeOut } from '../stdout.ts'

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
  const { hats, eventLoop } = await loadHats(flags)
  if (hats.length === 0) {
    writeOut('no hats: ralph itself plays the whole run\n')
    return 0
  }
  const topology = createTopology(hats)
  const controls = new Set([eventLoop.completionPromise, eventLoop.cancellationPromise])
  for (const hat of hats) {
    for (const topic of hat.publishes) {
      if (!isConcrete(topic) || controls.has(topic) || topology.receiver(topic)) continue
      writeOut(`${hat.id}: ${topic} goes to the coordinator\n`)
    }
  }
  const start = eventLoop.startingEvent
  if (start !== undefined && topology.receiver(start) === null) {
    writeErr(`Error: no hat receives the starting event ${start}\n`)
    return 1
  }
  writeOut(`${hats.length} hats: every event finds its way\n`)
  return 0
})
