import type { ReadBlob } from '../blob.ts'
import type { Event } from '../event.ts'
import { renderWave, type Share } from './aggregate.ts'
import type { Material, Pending } from './brief.ts'
import { element, fence, section } from './text.ts'

/** What woke this iteration, in order of arrival; empty if nothing did. */
export function renderPending(
  pending: readonly Pending[],
  share: Share,
  material: Material,
  read: ReadBlob,
): string {
  if (pending.length === 0) return ''
  return section(
    '## PENDING EVENTS',
    ...grouped(pending).map((group) =>
      group.kind === 'wave'
        ? renderWave(group.wave, share, material, read)
        : group.events.map((event) => renderEvent(event, read)).join('\n'),
    ),
  )
}

/** The line at the top of a prompt whose results did not all fit; empty if they did. */
export function renderCutNote(share: Share): string {
  if (share.cut === 0) return ''
  return `Note: ${share.cut} of the ${share.results} results under PENDING EVENTS are too long for this prompt. They are shown as head and tail; a line between the two names the file with the whole text. Read that file where the middle matters.`
}

/** Neighbouring events stand together, one a line. */
function grouped(pending: readonly Pending[]): readonly Group[] {
  const groups: Group[] = []
  for (const one of pending) {
    const last = groups.at(-1)
    if (one.kind === 'wave') groups.push(one)
    else if (last?.kind === 'events') last.events.push(one.event)
    else groups.push({ kind: 'events', events: [one.event] })
  }
  return groups
}

type Group = Extract<Pending, { kind: 'wave' }> | { readonly kind: 'events'; readonly events: Event[] }

/** A payload of several lines stands in a fence together with its topic, so that nothing in it looks like ours. */
function renderEvent(event: Event, read: ReadBlob): string {
  const payload = read(event.payload)
  if (event.topic === 'task.start' || event.topic === 'task.resume') {
    return `Event: ${event.topic} - ${element('top-level-prompt', '', payload)}`
  }
  const line = `Event: ${event.topic} - ${payload}`
  return /[\r\n]/.test(payload) ? fence(line) : line
}
