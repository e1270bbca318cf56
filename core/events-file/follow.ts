import { closeSync, type FSWatcher, fstatSync, openSync, statSync, watch } from 'node:fs'
import { basename } from 'node:path'
import { messageOf, osCodeOf } from '../errors.ts'
import { type EventsRead, EventsReader, type ReadFrom, type ReadOptions } from './reader.ts'

/** Follows the growing events files of one directory. */
export interface Follower extends Disposable {
  /**
   * Begins with a file, which need not exist yet, at its beginning or at `from`. What is in it is reported at the next
   * wake, `read` or `finish`.
   */
  add(path: string, listener: FollowListener, from?: ReadFrom): Followed
  /** Stops following. What is unread stays unread. */
  close(): void
}

export interface FollowListener {
  /** Called with each piece of news exactly once. */
  onRead(read: EventsRead): void
  /** The file cannot be read. Called once until it can be read again. */
  onError(error: unknown): void
}

export interface Followed {
  readonly path: string
  /** Reads now what is new, and reports it. */
  read(options?: ReadOptions): void
  /** For so many milliseconds only `read` and `finish` read: what is written now is known, and something else matters more. */
  rest(ms: number): void
  /** Reads once more, reports what is new, and stops following this file. */
  finish(options?: ReadOptions): void
}

export interface FollowOptions {
  /** How often every file is read, whatever the watcher says. Default: 250. */
  readonly pollMs?: number
  /** The directory is there but cannot be watched, e.g. because the system's limit is reached: its files are polled. Called once. */
  readonly onUnwatched?: (reason: string) => void
  /** The system's watcher. */
  readonly watch?: typeof watch
}

/**
 * One watcher for the whole directory, which only wakes; reading by offset decides what is new. The watcher loses
 * changes, and goes deaf when the directory is deleted: so each file is also read every `pollMs` milliseconds, and a
 * directory that was made anew is watched anew. Keeps no process alive.
 */
export function createFollower(dir: string, options: FollowOptions = {}): Follower {
  const { pollMs = 250 } = options
  const files = new Map<string, Source>()
  let watched: WatchedDirectory | null = null
  let timer: NodeJS.Timeout | null = null
  /** The watcher begins when this turn is over, or then. */
  let soon: 'turn' | NodeJS.Timeout | null = null
  let told = false

  function poll(): void {
    notSoon()
    if (watched !== null && !watched.isCurrent()) stopWatching()
    startWatching()
    for (const source of files.values()) source.look()
  }

  function wake(name: string | null): void {
    if (name === null) for (const source of files.values()) source.look()
    else files.get(name)?.look()
  }

  /**
   * Files that are done with in a moment need no watcher, and would wake it each by being made: it begins a moment after
   * all of this turn of the program are there.
   */
  function watchSoon(): void {
    if (watched !== null || soon !== null) return
    soon = 'turn'
    queueMicrotask(() => {
      soon = files.size === 0 ? null : setTimeout(poll, SOON_MS).unref()
    })
  }

  function startWatching(): void {
    if (watched !== null) return
    try {
      watched = watchDirectory(dir, options.watch ?? watch, { onChange: wake, onError: stopWatching })
    } catch (error) {
      if (!told) options.onUnwatched?.(messageOf(error))
      told = true
    }
  }

  function notSoon(): void {
    if (soon === 'turn') return
    if (soon !== null) clearTimeout(soon)
    soon = null
  }

  function stopWatching(): void {
    watched?.close()
    watched = null
  }

  function remove(name: string): void {
    files.delete(name)
    if (files.size > 0) return
    stopWatching()
    notSoon()
    if (timer !== null) clearInterval(timer)
    timer = null
  }

  function close(): void {
    for (const [name, source] of files) {
      source.close()
      remove(name)
    }
  }

  return {
    add(path, listener, from) {
      const name = basename(path)
      if (files.has(name)) throw new Error(`${path} is followed already`)
      const source = createSource(new EventsReader(path, from), listener)
      files.set(name, source)
      watchSoon()
      timer ??= setInterval(poll, pollMs).unref()
      return {
        path,
        read(options) {
          if (files.get(name) === source) source.read(options)
        },
        rest: source.rest,
        finish(options) {
          if (files.get(name) !== source) return
          source.read(options)
          source.close()
          remove(name)
        },
      }
    },
    close,
    [Symbol.dispose]: close,
  }
}

const SOON_MS = 20

interface Source {
  read(options?: ReadOptions): void
  /** Reads, or will once its rest is over. */
  look(): void
  rest(ms: number): void
  close(): void
}

function createSource(reader: EventsReader, listener: FollowListener): Source {
  let failing = false
  let resting: NodeJS.Timeout | null = null

  function read(options?: ReadOptions): void {
    let read: EventsRead
    try {
      read = reader.read(options)
      failing = false
    } catch (error) {
      if (!failing) listener.onError(error)
      failing = true
      return
    }
    if (read.events.length > 0 || read.bad.length > 0) listener.onRead(read)
  }

  function wake(): void {
    if (resting !== null) clearTimeout(resting)
    resting = null
  }

  return {
    read,
    look() {
      if (resting === null) read()
    },
    rest(ms) {
      wake()
      resting = setTimeout(() => {
        wake()
        read()
      }, ms).unref()
    },
    close() {
      wake()
      reader.close()
    },
  }
}

interface WatchedDirectory {
  /** False once the path names another directory than the one that is watched, or none. */
  isCurrent(): boolean
  close(): void
}

/** Null where it is missing. Throws the system's error where it cannot be watched. */
function watchDirectory(
  dir: string,
  start: typeof watch,
  told: { readonly onChange: (name: string | null) => void; readonly onError: () => void },
): WatchedDirectory | null {
  let fd: number | null = null
  try {
    // Held open so that a new directory cannot get the inode of a deleted one.
    fd = openSync(dir, 'r')
    const inode = fstatSync(fd).ino
    const watcher: FSWatcher = start(dir, { persistent: false }, (_, name) => told.onChange(name))
    watcher.on('error', told.onError)
    const held = fd
    return {
      isCurrent: () => statSync(dir, { throwIfNoEntry: false })?.ino === inode,
      close() {
        watcher.close()
        closeSync(held)
      },
    }
  } catch (error) {
    if (fd !== null) closeSync(fd)
    if (osCodeOf(error) === 'ENOENT') return null
    throw error
  }
}
