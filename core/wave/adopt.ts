import type { Blob, ReadBlob } from '../blob.ts'
import type { Event } from '../event.ts'
import type { Hat, HatId } from '../hat.ts'
import { digestInstructions, itemKeys, type KeyedItem } from './item-key.ts'
import { interrupted } from './outcome.ts'
import type { Adoption, Outcome, Player, Wave, Work } from './wave.ts'

/** Results that need not be paid again, by the key of their item. */
export type Adoptable = ReadonlyMap<string, Adoption>

/**
 * The results that earlier waves of a run have, by key. Which of several equal items had them makes no difference:
 * only those with a result are counted.
 */
export function adoptable(run: string, waves: readonly Wave[]): Adoptable {
  const done = waves.flatMap((wave) =>
    wave.works.flatMap((work) => {
      const outcome = resultOf(work)
      const item = keyedItem(wave, work)
      if (outcome === null || item === null) return []
      return [{ item, adoption: adoptionOf(run, wave, { work, outcome }) }]
    }),
  )
  const keys = itemKeys(done.map(({ item }) => item))
  return new Map(done.map(({ adoption }, i) => [keys[i] ?? '', adoption]))
}

/** The result of an item: its own, or what its worker had given before it was cut; null: it has none. */
export function resultOf(work: Work): Outcome | null {
  if (work.status === 'settled') return work.outcome?.class === 'result' ? work.outcome : null
  return work.accepted.length > 0 ? interrupted(work) : null
}

/** An outcome as another wave takes it over. It names the run that paid for it, also when it is taken over again. */
export function adoptionOf(
  run: string,
  wave: Wave,
  { work, outcome }: { readonly work: Work; readonly outcome: Outcome },
): Adoption {
  return {
    from: work.adopted?.from ?? { run, wave: wave.id, index: work.index },
    outcome,
    attempts: work.attempts,
    cost: work.cost,
    usage: work.usage,
    player: work.player,
    instructions: instructionsOf(wave, work),
  }
}

/** What an item asked for, and of whom; null if no program was ever started for it. */
export function keyedItem(wave: Wave, work: Work): KeyedItem | null {
  const { hat, payload, player } = work
  return player === null ? null : { hat, payload, player, instructions: instructionsOf(wave, work) }
}

/** What a plan may take over instead of running it, and who plays a hat now. */
export interface Reuse {
  readonly adoptable: Adoptable
  readonly playerOf: (hat: HatId) => Player | null
}

/** What each item takes over, of those that ask the same as one whose result is there already. */
export function adoptionsFor(
  items: readonly { readonly event: Event; readonly hat: Hat }[],
  reuse: Reuse | undefined,
): readonly (Adoption | undefined)[] {
  if (reuse === undefined || reuse.adoptable.size === 0) return []
  const keyed = items.map(({ event, hat }) => ({
    hat: hat.id,
    instructions: digestInstructions(hat.instructions),
    player: reuse.playerOf(hat.id) ?? NOBODY,
    payload: event.payload,
  }))
  return itemKeys(keyed).map((key) => reuse.adoptable.get(key))
}

const NOBODY: Player = { backend: '', model: null }

/** The adoption with its results in another run's keeping. */
export function keptBy(
  adoption: Adoption,
  { store, read }: { readonly store: (text: string) => Blob; readonly read: ReadBlob },
): Adoption {
  const { outcome } = adoption
  const events = outcome.events.map((event) => ({ ...event, payload: store(read(event.payload)) }))
  return { ...adoption, outcome: { ...outcome, events } }
}

function instructionsOf(wave: Wave, { adopted, hat }: Work): string {
  if (adopted !== null) return adopted.instructions
  return digestInstructions(wave.shell === null ? (wave.hats[hat]?.instructions ?? '') : wave.shell.template)
}
