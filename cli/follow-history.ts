import { followLines } from './follow-lines.ts'
import { createHistorian, type History, type Place } from './history.ts'
import { isRead } from './reader.ts'
import { listenForSignals, SIGNAL_EXIT } from './signals.ts'

/** How often the events file is looked at. */
const LOOK_MS = 200

export interface FollowRequest {
  /** Looked up at every look: the next run has another file. */
  readonly path: () => string
  readonly place: Place
  /** Called with what there is, then with what is new; false once nobody reads any more. */
  readonly show: (news: History) => boolean
}

/** Shows the events of a workspace as they are written, until a signal comes or nobody reads. Gives the exit code. */
export async function followHistory({ path, place, show }: FollowRequest): Promise<number> {
  const ended = Promise.withResolvers<number>()
  const end = (signal: keyof typeof SIGNAL_EXIT): void => ended.resolve(SIGNAL_EXIT[signal])
  using _signals = listenForSignals({ end, force: end })
  const linesOf = followLines()
  let historian = createHistorian(place, true)
  const look = (): void => {
    try {
      const { lines, restarted } = linesOf(path())
      if (restarted) historian = createHistorian(place, true)
      if (!show(historian.read(lines)) || !isRead(1)) ended.resolve(0)
    } catch (error) {
      ended.reject(error)
    }
  }
  look()
  const timer = setInterval(look, LOOK_MS)
  try {
    return await ended.promise
  } finally {
    clearInterval(timer)
  }
}
