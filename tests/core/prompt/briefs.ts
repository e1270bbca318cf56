import { inline, type ReadBlob } from '../../../core/blob.ts'
import type { Hat } from '../../../core/hat.ts'
import type { ItemBrief, IterationBrief, Material, Pending, WorkerBrief } from '../../../core/prompt/brief.ts'
import type { Iteration } from '../../../core/run/loop.ts'
import { createTopology } from '../../../core/topology.ts'
import type { Outcome, Wave, Work } from '../../../core/wave/wave.ts'

/** Gives inline texts; a blob by path is its path. */
export const read: ReadBlob = (blob) => ('inline' in blob ? blob.inline : blob.path)

export function hat(id: string, more: Partial<Hat> = {}): Hat {
  return {
    id,
    name: id,
    description: `what ${id} does`,
    triggers: [],
    publishes: [],
    instructions: `instructions of ${id}`,
    backendArgs: [],
    disallowedTools: [],
    concurrency: 1,
    ...more,
  }
}

export const AGGREGATE = {
  mode: 'wait_for_all',
  timeoutSeconds: 300,
  timeoutIsSet: false,
  budgetBytes: 200_000,
} as const

/** a → b → the end. */
export const CHAIN = [
  hat('a', { triggers: ['work.start'], publishes: ['b.go'] }),
  hat('b', { triggers: ['b.go'], publishes: ['LOOP_COMPLETE'] }),
]

/** disp → three workers at once → agg → the end. */
export const FAN = [
  hat('disp', { triggers: ['work.start'], publishes: ['item.go'] }),
  hat('work', { triggers: ['item.go'], publishes: ['item.done'], concurrency: 3 }),
  hat('agg', { triggers: ['item.done'], publishes: ['LOOP_COMPLETE'], aggregate: AGGREGATE }),
]

/** disp → four different hats → agg → the end. */
export const SCATTER = [
  hat('disp', { triggers: ['work.start'], publishes: ['h1.go', 'h2.go', 'h3.go', 'h4.go'] }),
  ...['h1', 'h2', 'h3', 'h4'].map((id) => hat(id, { triggers: [`${id}.go`], publishes: ['item.done'] })),
  hat('agg', { triggers: ['item.done'], publishes: ['LOOP_COMPLETE'], aggregate: AGGREGATE }),
]

export function material(more: Partial<Material> = {}): Material {
  return {
    scratchpad: null,
    notes: [],
    specsDir: '.ralph/specs/',
    guardrails: ['first rule', 'second rule'],
    guardrailsAreSet: false,
    topicNotes: {},
    backend: { output: 'stream', heredoc: true },
    control: { completion: 'LOOP_COMPLETE' },
    resultPath: (wave, index, n) => `runs/${wave}/${index}/result-${n}.txt`,
    ...more,
  }
}

export const NO_HEREDOC = { backend: { output: 'stream', heredoc: false } } as const

/** The brief of an iteration over `hats`, for those of them whose ids are in `active`. */
export function iteration(
  hats: readonly Hat[],
  active: readonly string[],
  more: Partial<IterationBrief> = {},
): IterationBrief {
  const topology = createTopology(hats)
  return {
    kind: 'iteration',
    iteration: { number: 2 } as Iteration,
    hats: active.map((id) => topology.hat(id) ?? hat(id)),
    topology,
    objective: inline('make it so'),
    completionPromise: 'LOOP_COMPLETE',
    pending: [],
    guidance: [],
    lastFailure: null,
    ...more,
  }
}

export function event(topic: string, payload = ''): Pending {
  return { kind: 'event', event: { topic, payload: inline(payload) } }
}

export function worker(more: Partial<WorkerBrief> = {}): WorkerBrief {
  return {
    kind: 'worker',
    hat: FAN[1] ?? hat('work'),
    wave: 'w-1',
    index: 1,
    total: 3,
    timeoutSeconds: 600,
    topic: 'item.go',
    payload: inline('the item'),
    scatter: false,
    ...more,
  }
}

export function item(more: Partial<ItemBrief> = {}): ItemBrief {
  return { kind: 'item', template: null, wave: 'w-1', index: 0, total: 1, payload: inline('1'), ...more }
}

/** An item of which only what prompts read is there. */
export function work(index: number, more: Partial<Work> = {}): Work {
  const seen: Pick<Work, 'id' | 'index' | 'hat' | 'topic' | 'payload' | 'outcome'> = {
    id: `w-1/${index}`,
    index,
    hat: 'work',
    topic: 'item.go',
    payload: inline(`item ${index}`),
    outcome: null,
  }
  return { ...seen, ...more } as Work
}

export function result(payloads: readonly string[], more: Partial<Outcome> = {}): Outcome {
  return {
    status: 'ok',
    class: 'result',
    cause: { kind: 'exit', code: 0 },
    reason: null,
    events: payloads.map((payload) => ({ topic: 'item.done', payload: inline(payload) })),
    fromFinalMessage: false,
    durationMs: 1234,
    remarks: [],
    ...more,
  }
}

export function failure(more: Partial<Outcome> = {}): Outcome {
  return result([], {
    status: 'failed',
    class: 'failure',
    cause: { kind: 'exit', code: 7 },
    reason: 'exit code 7: boom',
    ...more,
  })
}

/** A finished wave with one outcome per item, of which only what prompts read is there. */
export function wave(outcomes: readonly Outcome[], more: Partial<Wave> = {}): Wave {
  const seen: Pick<Wave, 'id' | 'total' | 'works' | 'deadlinePassed' | 'change'> = {
    id: 'w-1',
    total: outcomes.length,
    works: outcomes.map((outcome, index) => work(index, { outcome })),
    deadlinePassed: false,
    change: null,
  }
  return { ...seen, ...more } as Wave
}

export function pendingWave(one: Wave): Pending {
  return { kind: 'wave', wave: one }
}

/** The section under `title`, up to the next one of the same level. */
export function sectionOf(prompt: string, title: string): string {
  const level = /^#+/.exec(title)?.[0] ?? '##'
  const from = prompt.indexOf(title)
  if (from === -1) return ''
  const to = prompt.indexOf(`\n${level} `, from + title.length)
  return prompt.slice(from, to === -1 ? undefined : to)
}
