import { inline } from '../../core/blob.ts'
import type { Settings } from '../../core/config/settings.ts'
import { messageOf } from '../../core/errors.ts'
import { playerOf } from '../../core/run/backends.ts'
import { digestInstructions, itemKeys, type KeyedItem } from '../../core/wave/item-key.ts'
import type { Adoption } from '../../core/wave/wave.ts'
import type { Cast } from '../cast.ts'
import { adoptableOf, type EarlierWave } from './earlier-wave.ts'
import { findEarlierWave } from './find-earlier-wave.ts'
import type { ShellItem } from './open-shell-wave.ts'
import { rulesFor } from './rules.ts'

export interface ResumeRequest {
  readonly settings: Settings
  readonly cast: Cast
  readonly payloads: readonly string[]
  readonly template: string | null
  /** The run whose results are taken over; null: the last one that has some. */
  readonly named: string | null
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly warn: (text: string) => void
}

export interface Resumed {
  readonly items: readonly ShellItem[]
  /** Null: no run has a result for any of the items. To be let go once the new run is over. */
  readonly earlier: Pick<EarlierWave, 'runId' | 'hold'> | null
}

/** The items, those with the result that an earlier run has for them. Throws as `findEarlierWave` does. */
export async function resumeItems(request: ResumeRequest): Promise<Resumed> {
  const { payloads } = request
  const items = keyed(request)
  const earlier = await findEarlierWave({ ...request, items })
  if (earlier === null) return { items: payloads.map((payload) => ({ payload })), earlier }
  const known = adoptableOf(earlier)
  const keys = itemKeys(items)
  return {
    earlier,
    items: payloads.map((payload, i) => {
      const adopted = known.get(keys[i] ?? '')
      return adopted === undefined || !isThere(adopted, earlier, request) ? { payload } : { payload, adopted }
    }),
  }
}

function keyed({ settings, cast, payloads, template }: ResumeRequest): readonly KeyedItem[] {
  const facts = rulesFor(settings, cast).backends['']
  if (facts === undefined) throw new Error('a cast has a global part')
  const player = playerOf(facts)
  const instructions = digestInstructions(template)
  return payloads.map((payload) => ({ hat: '', instructions, player, payload: inline(payload) }))
}

/** False where somebody has deleted a part of the result. */
function isThere({ outcome, from }: Adoption, { blobs }: EarlierWave, { warn }: ResumeRequest): boolean {
  try {
    for (const event of outcome.events) blobs.read(event.payload)
    return true
  } catch (error) {
    warn(
      `the result of item ${from.index} in ${from.run} cannot be read and is made anew: ${messageOf(error)}`,
    )
    return false
  }
}
