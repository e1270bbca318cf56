import type { ProcessReport } from '../../core/agent/contract.ts'
import type { AgentEnd } from '../../core/agent/end.ts'
import { lastLine, parseEventBlocks } from '../../core/agent/event-blocks.ts'
import { wholeText } from '../../core/agent/long-text.ts'
import type { Backend } from '../../core/backend/contract.ts'
import { inline } from '../../core/blob.ts'
import type { BlobStore } from './blobs.ts'

/** What the run makes of a process's report: its texts kept, and events in the text of a plain talker found. Throws the system's error. */
export function agentEnd(of: {
  readonly blobs: BlobStore
  readonly backend: Backend
  readonly report: ProcessReport
  readonly scratchpadChanged: boolean
}): AgentEnd {
  const { report, scratchpadChanged } = of
  return { ...report, ...keptMessage(of), scratchpadChanged }
}

/** A long message is put into place piece by piece, unless events have to be looked for in it. */
function keptMessage({ blobs, backend, report }: Parameters<typeof agentEnd>[0]): Message {
  const { finalMessage: said } = report
  const isText = backend.traits.output === 'text'
  if (typeof said !== 'string' && !(isText && said.mayHoldEvents))
    return { finalMessage: blobs.storeLong(said), textEvents: [], lastLine: said.lastLine }
  const whole = wholeText(said)
  const { events, rest } = isText ? parseEventBlocks(whole) : { events: [], rest: whole }
  return {
    finalMessage: blobs.store(rest),
    textEvents: events.map((event) => ({ ...event, payload: blobs.store(event.payload) })),
    lastLine: lastLine(rest),
  }
}

type Message = Pick<AgentEnd, 'finalMessage' | 'textEvents' | 'lastLine'>

/** The end of an agent whose words cannot be kept: it counts as cut, so that its work is done again. */
export function unkept(report: ProcessReport): AgentEnd {
  return { ...report, ...NOTHING_SAID, stoppedFor: 'interrupt' }
}

/** The end of an agent that never came to life. */
export function neverStarted(spawnError: string, shortage = false): AgentEnd {
  return {
    ...NOTHING_SAID,
    exitCode: null,
    signal: null,
    spawnError,
    ...(shortage ? { shortage } : {}),
    stoppedFor: null,
    failure: { class: 'unknown', message: spawnError },
    usage: null,
    costUsd: null,
    turns: null,
    durationMs: 0,
    tail: '',
    strays: [],
  }
}

/** The end of an agent that was not started because the run is about to end: its work is done again by the next invocation. */
export function heldBack(): AgentEnd {
  return { ...neverStarted(''), spawnError: null, failure: null, stoppedFor: 'interrupt' }
}

const NOTHING_SAID = {
  finalMessage: inline(''),
  textEvents: [],
  lastLine: '',
  scratchpadChanged: false,
} as const
