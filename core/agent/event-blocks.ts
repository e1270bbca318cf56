import type { EventRecord } from '../event.ts'
import { topicFault } from '../topic.ts'

export interface TextWithEvents {
  /** `<event topic="T">payload</event>` blocks, in order; payloads whole and trimmed. Blocks with an impossible topic are left out. */
  readonly events: readonly EventRecord[]
  /** The text without any block. */
  readonly rest: string
}

/** Events that an agent with plain text output wrote into its final message (contract/loop §4.3). */
export function parseEventBlocks(text: string): TextWithEvents {
  const events: EventRecord[] = []
  const rest = text.replace(BLOCK, (_, attributes: string, payload: string) => {
    const topic = /\btopic\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes)
    const name = topic?.[1] ?? topic?.[2] ?? ''
    if (topicFault(name) === null) events.push({ topic: name, payload: payload.trim() })
    return ''
  })
  return { events, rest: rest.trim() }
}

/** The last line that is not blank, trimmed; empty if there is none. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? ''
}

const BLOCK = /<event\s+([^<>]*)>([\s\S]*?)<\/event>/g
