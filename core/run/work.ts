import type { Event } from '../event.ts'
import { mayPublish, NESTED_REFUSED, TOPIC_REFUSED } from '../wave/guard.ts'
import type { Adoption, Wave, Work } from '../wave/wave.ts'
import { controlTopics } from './control-topics.ts'
import type { State } from './state.ts'

/** A work before its first attempt. */
export function createWork(
  of: Pick<Work, 'id' | 'wave' | 'index' | 'hat' | 'topic' | 'payload'>,
  adopted?: Adoption,
): Work {
  return {
    ...of,
    status: 'queued',
    attempts: adopted?.attempts ?? 0,
    agent: 0,
    startedMono: null,
    cost: adopted?.cost ?? { unknown: true },
    usage: adopted?.usage ?? null,
    accepted: [],
    refused: [],
    nestedRefused: 0,
    bad: [],
    linesRead: 0,
    nudge: null,
    outcome: null,
    player: adopted?.player ?? null,
    adopted: adopted ?? null,
  }
}

/** The item of that id (`<wave>/<index>`) in a wave that is open; undefined: there is none. */
export function findItem(state: State, id: string): { readonly wave: Wave; readonly work: Work } | undefined {
  const slash = id.lastIndexOf('/')
  const wave = state.waves.get(id.slice(0, slash))
  const work = wave?.byIndex.get(Number(id.slice(slash + 1)))
  return wave === undefined || work === undefined ? undefined : { wave, work }
}

/** Number of the agent of this run that wrote a line; null: somebody else. */
export function agentOf({ run }: State, { agent }: Event): number | null {
  const colon = agent?.lastIndexOf(':') ?? -1
  return agent?.slice(0, colon) === run.id ? Number(agent.slice(colon + 1)) : null
}

export interface Worker {
  readonly work: Work
  /** Takes a line of this worker: what its hat may publish is accepted, the rest is noted as refused. */
  take(event: Event): void
}

/** The item whose worker wrote a line of the main file, in a wave that is not merged; null for any other line. */
export function workerOf(state: State, event: Event): Worker | null {
  if (state.workers.size === 0) return null
  const n = agentOf(state, event)
  const work = n === null ? undefined : state.workers.get(n)
  if (work === undefined) return null
  return {
    work,
    take(line) {
      // What an earlier attempt has left behind speaks for no later one.
      if (work.agent === n && work.status === 'running') takeWorkerLine(state, work, line)
    },
  }
}

/** Applies a worker's rules to one of its lines (contract/waves §12.1, §12.2), however it was written. */
export function takeWorkerLine(state: State, work: Work, event: Event): void {
  // What is written after the worker's end is ignored, but for lines of it that were read late from the main file.
  if (work.outcome !== null) return
  const hat = work.wave === null ? undefined : state.waves.get(work.wave)?.hats[work.hat]
  if (event.topic === NESTED_REFUSED || event.wave?.total !== undefined) work.nestedRefused += 1
  else if (event.topic === TOPIC_REFUSED) work.refused.push(textOf(event))
  else if (hat === undefined || mayPublish(hat, controlTopics(state), event.topic)) work.accepted.push(event)
  else work.refused.push(event.topic)
}

function textOf(event: Event): string {
  return 'inline' in event.payload ? event.payload.inline : '(a long topic)'
}
