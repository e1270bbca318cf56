import { existsSync, statSync } from 'node:fs'
import { EventsReader } from '../../core/events-file/reader.ts'
import { workerFile } from '../../core/events-file/rules.ts'
import type { FactBody } from '../../core/run/fact.ts'
import type { State } from '../../core/run/state.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Work } from '../../core/wave/wave.ts'
import type { BlobStore } from './blobs.ts'
import { maskBadLines } from './mask-bad-lines.ts'

/** Where what is read goes, and what must not be shown of it. */
export interface Keeping {
  readonly blobs: BlobStore
  readonly secrets: Secrets
}

/** What cut workers had written, and nobody had read, when the run was cut. `eventsDir`: where their files lie. */
export function unreadLines(
  state: State,
  eventsDir: string,
  { blobs, secrets }: Keeping,
): readonly FactBody[] {
  return openWorks(state).flatMap((work): readonly FactBody[] => {
    if (work.wave === null || work.agent === 0) return []
    const path = workerFile(eventsDir, work.wave, work.index)
    if (!existsSync(path)) return []
    using reader = new EventsReader(path)
    const { events, bad } = reader.read({ closeLine: true })
    const knownBad = work.bad.length
    const knownEvents = work.linesRead - knownBad
    if (events.length <= knownEvents && bad.length <= knownBad) return []
    const fresh = events
      .slice(knownEvents)
      .map((event) => ({ ...event, payload: blobs.store(event.payload) }))
    return [
      {
        type: 'worker.read',
        n: work.agent,
        events: fresh,
        bad: maskBadLines(bad.slice(knownBad), secrets),
      },
    ]
  })
}

/**
 * Lines of the main events file that nobody had read when the run was cut: what agents of then have said is no word of
 * those that come. From its start where the file was made anew since.
 */
export function unreadMain(
  state: State,
  { blobs, secrets }: Keeping,
): Extract<FactBody, { type: 'events.read' }> {
  const { eventsFile } = state.run
  const known = state.loop?.readOffset ?? 0
  const size = statSync(eventsFile, { throwIfNoEntry: false })?.size ?? 0
  using reader = new EventsReader(eventsFile, { offset: size < known ? 0 : known })
  const { events, bad, offset } = reader.read()
  return {
    type: 'events.read',
    events: events.map((event) => ({ ...event, payload: blobs.store(event.payload) })),
    bad: maskBadLines(bad, secrets),
    offset,
    final: false,
  }
}

function openWorks(state: State): readonly Work[] {
  return [...state.waves.values()].flatMap((wave) => wave.works.filter((work) => work.status !== 'settled'))
}
