import { inline } from '../blob.ts'
import type { Event } from '../event.ts'
import type { HatId } from '../hat.ts'
import type { Topic } from '../topic.ts'
import type { WaveId } from '../wave/wave.ts'
import type { Iteration, Letter, Loop } from './loop.ts'
import type { State } from './state.ts'

/** Inbox of the coordinator. */
export const COORDINATOR = ''

/** A letter before it is numbered. */
type NewLetter = Letter extends infer L ? (L extends Letter ? Omit<L, 'n'> : never) : never

/** Puts a letter into the inbox of a hat. */
export function post(state: State, hat: HatId, fresh: NewLetter): void {
  const { loop } = state
  if (loop === null) throw new Error('a run without a loop has no inboxes')
  const letter: Letter = { ...fresh, n: loop.nextLetter }
  const inbox = loop.inboxes.get(hat) ?? []
  inbox.push(letter)
  loop.inboxes.set(hat, inbox)
  loop.nextLetter += 1
  loop.pending += 1
  state.news.push({ kind: 'posted', hat, letter })
}

/** Tells observers of something odd. */
export function warn(state: State, code: string, text: string): void {
  state.news.push({ kind: 'warning', code, text })
}

/** Delivers an agent's event where routing sends it. */
export function deliver(state: State, event: Event): void {
  post(state, receiverOf(state, event.topic), { kind: 'event', event, from: 'agent', kickoff: false })
}

/** Publishes an event of the loop's own, where routing sends it or to `hat` alone. */
export function publish(
  state: State,
  of: { topic: Topic; payload: string; to?: HatId; kickoff?: boolean },
): void {
  const event: Event = { topic: of.topic, payload: inline(of.payload) }
  const hat = of.to ?? receiverOf(state, of.topic)
  post(state, hat, { kind: 'event', event, from: 'loop', kickoff: of.kickoff ?? false })
}

/** Lets a hat know of a merged wave, once. */
export function announceWave(state: State, hat: HatId, wave: WaveId): void {
  const inbox = state.loop?.inboxes.get(hat) ?? []
  if (!inbox.some((letter) => letter.kind === 'wave' && letter.wave === wave)) {
    post(state, hat, { kind: 'wave', wave })
  }
}

/** Empties all inboxes. In order of arrival. */
export function takeAll(loop: Loop): { readonly hat: HatId; readonly letter: Letter }[] {
  const taken = [...loop.inboxes].flatMap(([hat, letters]) => letters.map((letter) => ({ hat, letter })))
  loop.inboxes.clear()
  loop.pending = 0
  return taken.sort((a, b) => a.letter.n - b.letter.n)
}

/** Puts taken letters back, before all that has arrived since: their numbers stay. */
export function giveBack(
  loop: Loop,
  taken: readonly { readonly hat: HatId; readonly letter: Letter }[],
): void {
  for (const { hat, letter } of taken) {
    const inbox = loop.inboxes.get(hat) ?? []
    inbox.push(letter)
    inbox.sort((a, b) => a.n - b.n)
    loop.inboxes.set(hat, inbox)
    loop.pending += 1
  }
}

/** Gives back all that the prompt of a failed or cut iteration has shown. */
export function giveBackIteration(loop: Loop, { taken, notes }: Iteration): void {
  giveBack(loop, taken)
  loop.humanNotes = [...notes, ...loop.humanNotes]
}

function receiverOf(state: State, topic: Topic): HatId {
  return state.topology.receiver(topic)?.id ?? COORDINATOR
}
