import { createHash } from 'node:crypto'
import type { Blob } from '../blob.ts'
import type { Player } from './wave.ts'

/** What an item asks for, and of whom. */
export interface KeyedItem {
  readonly hat: string
  /** As `digestInstructions` gives it. */
  readonly instructions: string
  readonly player: Player
  readonly payload: Blob
}

/**
 * A key for each item, the same in every run that asks the same of the same program: by hat, instructions, backend,
 * model and content, and which of its equals it is in this list (from 0). Where it stands, and with which words its
 * program is started, is no part of it.
 */
export function itemKeys(items: readonly KeyedItem[]): readonly string[] {
  const equals = new Map<string, number>()
  return items.map(({ hat, instructions, player, payload }) => {
    const base = sha256(
      JSON.stringify([hat, instructions, player.backend, player.model, digestContent(payload)]),
    )
    const ordinal = equals.get(base) ?? 0
    equals.set(base, ordinal + 1)
    return `${base}-${ordinal}`
  })
}

/** The hat's instructions, or the prompt of `ralph wave run`, in short; null: there is no prompt. */
export function digestInstructions(text: string | null): string {
  return text === null ? '' : sha256(text)
}

/** SHA-256 of a payload's text, hexadecimal. */
export function digestContent(payload: Blob): string {
  return 'inline' in payload ? sha256(payload.inline) : payload.sha256
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
