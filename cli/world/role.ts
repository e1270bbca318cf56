import type { Role } from '../../core/backend/contract.ts'
import type { Event } from '../../core/event.ts'
import type { Brief, Pending } from '../../core/prompt/brief.ts'
import { unreachable } from '../../core/result.ts'
import { errorText } from '../../core/wave/outcome.ts'
import type { Wave } from '../../core/wave/wave.ts'
import type { Context } from './context.ts'

/** Payloads that a role shows are cut at this many characters. */
const SHOWN = 65_536

type Shown = Role['events'][number]

/** What a backend without a model must know to play its part. */
export function roleOf(context: Context, brief: Brief, of: { agent: number; attempt: number }): Role {
  const { run, settings } = context
  return {
    ...partOfRole(context, brief),
    runId: run.id,
    agent: of.agent,
    attempt: of.attempt,
    runDir: run.dir,
    objective: context.objective,
    completionPromise: settings.eventLoop.completionPromise,
    ...(context.control.cancellation === undefined
      ? {}
      : { cancellationPromise: context.control.cancellation }),
    graph: settings.hats.map(({ id, name, triggers, publishes, concurrency, aggregate }) => ({
      id,
      name,
      triggers,
      publishes,
      concurrency,
      aggregate: aggregate !== undefined,
    })),
  }
}

function partOfRole(context: Context, brief: Brief): Pick<Role, 'kind' | 'hats' | 'wave' | 'events'> {
  switch (brief.kind) {
    case 'iteration':
      return {
        kind: 'iteration',
        hats: brief.hats.map((hat) => hat.id),
        events: brief.pending.flatMap((pending) => showPending(context, pending)),
      }
    case 'worker':
    case 'nudge': {
      const { wave: id, index, total, topic } = brief
      const event = { topic, payload: context.blobs.read(brief.payload).slice(0, SHOWN) }
      return { kind: 'worker', hats: [brief.hat.id], wave: { id, index, total, topic }, events: [event] }
    }
    case 'item': {
      const { wave: id, index, total } = brief
      const event = { topic: '', payload: context.blobs.read(brief.payload).slice(0, SHOWN) }
      return { kind: 'item', hats: [], wave: { id, index, total, topic: '' }, events: [event] }
    }
    default:
      return unreachable(brief)
  }
}

function showPending(context: Context, pending: Pending): readonly Shown[] {
  return pending.kind === 'event' ? [showEvent(context, pending.event)] : showWave(context, pending.wave)
}

function showEvent(context: Context, event: Event, status?: string): Shown {
  const payload = context.blobs.read(event.payload).slice(0, SHOWN)
  return { topic: event.topic, payload, ...(status === undefined ? {} : { status }) }
}

function showWave(context: Context, wave: Wave): readonly Shown[] {
  return wave.works.flatMap(({ topic, outcome }): readonly Shown[] => {
    if (outcome === null) return []
    if (outcome.class === 'result')
      return outcome.events.map((event) => showEvent(context, event, outcome.status))
    return [{ topic, payload: errorText(outcome), status: outcome.status }]
  })
}
