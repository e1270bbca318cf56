import type { Outcome, Wave, Work } from './wave.ts'

/** Puts an item behind those of its hat. */
export function enqueue(wave: Wave, work: Work): void {
  wave.queues.get(work.hat)?.items.push(work)
  wave.queued += 1
  work.status = 'queued'
}

/** Before all that waits: it had its turn once. */
export function enqueueFirst(wave: Wave, work: Work): void {
  const queue = wave.queues.get(work.hat)
  if (queue === undefined || queue.head === 0)
    throw new Error(`item ${work.id} comes back, but its queue was never read`)
  queue.head -= 1
  queue.items[queue.head] = work
  wave.queued += 1
  work.status = 'queued'
}

/** It had no turn: before those behind it, and after those before it that had none either. */
export function enqueueInOrder(wave: Wave, work: Work): void {
  enqueueFirst(wave, work)
  const queue = wave.queues.get(work.hat)
  if (queue === undefined) return
  for (let at = queue.head; ; at++) {
    const next = queue.items[at + 1]
    if (next === undefined || next.index > work.index) return
    queue.items[at] = next
    queue.items[at + 1] = work
  }
}

/** Queues all unfinished items of a resumed wave afresh. `works` in index order. */
export function requeue(wave: Wave, works: readonly Work[]): void {
  for (const [hat] of wave.queues) wave.queues.set(hat, { items: [], head: 0 })
  wave.queued = 0
  for (const work of works) {
    work.outcome = null
    work.startedMono = null
    work.nudge = null
    enqueue(wave, work)
  }
}

/** Writes the outcome of an item, once. A withdrawn item stays open. */
export function settle(wave: Wave, work: Work, outcome: Outcome): void {
  if (work.status === 'settled') throw new Error(`item ${work.id} is settled, and would get another outcome`)
  work.outcome = outcome
  work.status = outcome.class === 'withdrawn' ? 'queued' : 'settled'
  wave.lastFailures.delete(work.index)
  if (outcome.class === 'withdrawn') return
  wave.settled += 1
  wave.unfiled.push(work)
}

/** A failure of an earlier stage: settled and filed there already. */
export function carry(wave: Wave, work: Work, outcome: Outcome): void {
  work.outcome = outcome
  work.status = 'settled'
  wave.carried.add(work.index)
  wave.settled += 1
}
