import type { AgentEvent } from '../backend/contract.ts'

/** Hears what an agent says and tells it, in order. */
export interface Speech {
  hear(event: AgentEvent): void
  /** Tells what was held back. */
  flush(): void
}

/**
 * Whole lines that follow one another are told as one text, at the next `flush`: a program that prints many at once costs
 * observers one event, and not one a line. Other texts are told as they come.
 */
export function createSpeech(tell: (event: AgentEvent) => void): Speech {
  let lines: string[] = []

  function flush(): void {
    if (lines.length === 0) return
    const text = lines.join('')
    lines = []
    tell({ type: 'text', text })
  }

  return {
    hear(event) {
      if (event.type === 'text' && event.text.endsWith('\n')) {
        lines.push(event.text)
        return
      }
      flush()
      tell(event)
    },
    flush,
  }
}
