import type { Topic } from '../../../core/topic.ts'
import { type FileFacts, readFacts } from './facts.ts'
import { listFiles } from './files.ts'
import { countTopics } from './topics.ts'

/** What a player can see: the files of the current directory, and what happened in the run so far. */
export interface Workspace {
  /** Relative paths, sorted. */
  files(): readonly string[]
  /** Null: not text, too large or gone. */
  facts(path: string): FileFacts | null
  /** How often a topic stands in the run's events file. */
  used(topic: Topic): number
}

/** `eventsFile` as in `RALPH_EVENTS_FILE`; nothing was used without one. */
export function openWorkspace(cwd: string, eventsFile: string | undefined): Workspace {
  const files = once(() => listFiles(cwd))
  const counts = once(() => countTopics(eventsFile))
  return {
    files,
    facts: (path) => readFacts(cwd, path),
    used: (topic) => counts().get(topic) ?? 0,
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
