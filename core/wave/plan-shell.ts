import type { Blob } from '../blob.ts'
import type { Hat } from '../hat.ts'
import type { WavePlan } from './plan.ts'
import type { Adoption, WaveId } from './wave.ts'

export interface ShellPlan {
  readonly id: WaveId
  /** In input order. */
  readonly items: readonly { readonly payload: Blob; readonly adopted?: Adoption }[]
  /** Agents at once. */
  readonly concurrency: number
  /** Of one attempt. */
  readonly timeoutSeconds: number
  /** The prompt; null: the bare payload. */
  readonly template: string | null
  readonly redriveOf?: WaveId
}

/** The wave of `ralph wave run`: one hat, no aggregator, no deadline. */
export function planShell(of: ShellPlan): WavePlan {
  return {
    id: of.id,
    inferred: false,
    hats: { '': { ...WORKER, concurrency: of.concurrency } },
    aggregators: [],
    total: of.items.length,
    items: of.items.map(({ payload, adopted }, index) => ({
      index,
      hat: '',
      event: { topic: 'item', payload },
      ...(adopted === undefined ? {} : { adopted }),
    })),
    timeouts: { '': of.timeoutSeconds },
    deadlineSeconds: null,
    shell: { template: of.template },
    ...(of.redriveOf === undefined ? {} : { redriveOf: of.redriveOf }),
  }
}

/** Who works on the items: nobody in particular, and free in what it publishes. */
const WORKER: Hat = {
  id: '',
  name: 'worker',
  description: 'worker',
  triggers: [],
  publishes: [],
  instructions: '',
  backendArgs: [],
  disallowedTools: [],
  concurrency: 1,
}
