import type { FactBody } from '../../core/run/fact.ts'
import type { Inbox } from '../../core/run/world.ts'

/** The run's inbox and the slot through which the outside drops facts into it. */
export interface Mailbox extends Inbox {
  push(...facts: readonly FactBody[]): void
}

export function createMailbox(): Mailbox {
  let waiting: FactBody[] = []
  let wake: (() => void) | null = null
  return {
    push(...facts) {
      waiting.push(...facts)
      wake?.()
    },
    async drain() {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = null
      }
      // What else has come about meanwhile is taken too: one write and one sync of the journal for all.
      await new Promise<void>((resolve) => setImmediate(resolve))
      const arrived = waiting
      waiting = []
      return arrived
    },
  }
}
