/** How many agents may run while the machine lets no more of them start: too few descriptors, processes, or too little memory. */
export interface Room {
  /** Null: as many as the config says. */
  limit: number | null
  /** Monotonic time at which the limit last changed. */
  since: number
  /** Starts in a row that failed although nothing else ran. */
  refusals: number
  /** Nothing starts until a wait is over. */
  held: boolean
}

/** So many starts are tried while nothing else runs; then works fail. */
export const MAX_REFUSALS = 5

export function createRoom(): Room {
  return { limit: null, since: 0, refusals: 0, held: false }
}

/** A start failed beside `running` others. True if that is news: there was no limit. */
export function squeeze(room: Room, running: number, mono: number): boolean {
  const isNews = room.limit === null
  room.limit = Math.max(1, Math.min(room.limit ?? running, running))
  room.since = mono
  return isNews
}

/** An agent ended well: after a while without a failed start there may be room for one more. At `most` places there is no limit. */
export function ease(room: Room, mono: number, most: number): void {
  if (room.limit === null || mono - room.since < EASE_MS) return
  room.limit = room.limit + 1 >= most ? null : room.limit + 1
  room.since = mono
}

/** Each try above the limit costs the number of an agent: so they are rare. */
const EASE_MS = 60_000

/** A start failed although nothing else ran: how long everything waits, in milliseconds; null: it was tried often enough. */
export function waitForRoom(room: Room): number | null {
  room.refusals += 1
  if (room.refusals >= MAX_REFUSALS) return null
  room.held = true
  return 1000 * 2 ** (room.refusals - 1)
}
