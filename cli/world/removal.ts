import { rmSync, unlinkSync } from 'node:fs'
import { osCodeOf } from '../../core/errors.ts'

/** Files that are to go, but for which nobody waits. */
export interface Removal {
  /** These go soon, a few at a time, so that nothing else waits for them. */
  add(paths: Iterable<string>): void
  /** What is still there goes now. Throws the system's error. */
  finish(): void
}

/** The first wait lets an aggregator start; each further one lets everything else have its turn. Milliseconds. */
const PAUSES = { first: 25, next: 5 }
/** How long one turn may take. */
const TURN_MS = 2

export function createRemoval(pauses: { readonly first: number; readonly next: number } = PAUSES): Removal {
  const waiting: Iterator<string>[] = []
  /** What could not be removed is tried once more, and told of, at the end. */
  const stuck: string[] = []
  let timer: NodeJS.Timeout | null = null

  function next(): string | null {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const { value, done } = first.next()
      if (done !== true) return value
      waiting.shift()
    }
    return null
  }

  function turn(): void {
    const until = performance.now() + TURN_MS
    for (let path = next(); path !== null; path = next()) {
      try {
        removeFile(path)
      } catch {
        stuck.push(path)
      }
      if (performance.now() > until) break
    }
    timer = waiting.length > 0 ? setTimeout(turn, pauses.next).unref() : null
  }

  return {
    add(paths) {
      waiting.push(paths[Symbol.iterator]())
      timer ??= setTimeout(turn, pauses.first).unref()
    },
    finish() {
      if (timer !== null) clearTimeout(timer)
      timer = null
      for (let path = next(); path !== null; path = next()) removeFile(path)
      for (const path of stuck.splice(0)) removeFile(path)
    },
  }
}

/** Removes what is at a path, if anything is: also a folder that an agent has put in the place of a file. Throws the system's error. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (osCodeOf(error) !== 'ENOENT') rmSync(path, { force: true, recursive: true })
  }
}
