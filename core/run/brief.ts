import type { ItemBrief, IterationBrief, NudgeBrief, Pending, WorkerBrief } from '../prompt/brief.ts'
import { places } from '../wave/gate.ts'
import type { Wave, Work } from '../wave/wave.ts'
import type { Iteration, Letter, Loop } from './loop.ts'
import type { State } from './state.ts'

/** What the prompt of an iteration is made of. */
export function iterationBrief(state: State, loop: Loop, iteration: Iteration): IterationBrief {
  return {
    kind: 'iteration',
    iteration,
    hats: iteration.hats.flatMap((id) => state.topology.hat(id) ?? []),
    topology: state.topology,
    objective: loop.objective,
    completionPromise: state.rules.eventLoop.completionPromise,
    pending: [
      ...iteration.letters.flatMap((letter) => pendingOf(state, letter)),
      ...iteration.notes.map((event): Pending => ({ kind: 'event', event })),
    ].filter(isFirst),
    guidance: loop.guidance,
    lastFailure: loop.lastFailure,
  }
}

/** What the prompt of a worker, or of an item of `ralph wave run`, is made of. */
export function itemBrief(wave: Wave, work: Work): WorkerBrief | NudgeBrief | ItemBrief {
  const hat = wave.hats[work.hat]
  const place = { wave: wave.id, index: work.index, total: places(wave), payload: work.payload }
  if (wave.shell !== null) return { kind: 'item', template: wave.shell.template, ...place }
  if (hat === undefined) throw new Error(`wave ${wave.id} has no snapshot of hat ${work.hat}`)
  if (work.nudge !== null)
    return { kind: 'nudge', hat, ...place, topic: work.topic, resume: work.nudge.resume }
  return {
    kind: 'worker',
    hat,
    ...place,
    timeoutSeconds: wave.timeouts[work.hat] ?? 0,
    topic: work.topic,
    scatter: Object.keys(wave.hats).length > 1,
  }
}

function pendingOf(state: State, letter: Letter): readonly Pending[] {
  if (letter.kind === 'event') return [{ kind: 'event', event: letter.event }]
  const wave = state.merged.get(letter.wave)
  return wave === undefined ? [] : [{ kind: 'wave', wave }]
}

/** A wave that reached several hats is shown once. */
function isFirst(one: Pending, i: number, all: readonly Pending[]): boolean {
  return (
    one.kind === 'event' || all.findIndex((other) => other.kind === 'wave' && other.wave === one.wave) === i
  )
}
