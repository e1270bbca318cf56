import type { Material } from './brief.ts'
import { lastLines } from './shares.ts'
import { element, section } from './text.ts'

/** Bytes of the scratchpad that a prompt shows (contract/loop §13). */
export const SCRATCHPAD_BYTES = 16_000

/** The end of the scratchpad, from a line start; empty if there is none, or nothing in it. */
export function renderScratchpad(scratchpad: Material['scratchpad']): string {
  if (scratchpad === null || scratchpad.text.trim() === '') return ''
  const { text, leftOut } = lastLines(scratchpad.text, SCRATCHPAD_BYTES)
  const note =
    leftOut > 0
      ? `[… the first ${leftOut} bytes are left out here. The whole scratchpad: ${scratchpad.path} …]\n`
      : ''
  return element('scratchpad', ` path="${scratchpad.path}"`, `${note}${text.replace(/\n+$/, '')}`)
}

export function renderScratchpadRules(scratchpad: Material['scratchpad']): string {
  if (scratchpad === null) return ''
  return section(
    '## SCRATCHPAD',
    `\`${scratchpad.path}\` is the memory that iterations share${scratchpad.text.trim() === '' ? '; it is empty so far' : ', shown at the top of this prompt'}.`,
    [
      '- Read it first. Before you end, write down what you did, what you decided and why, and what is open.',
      '- Keep open tasks as `- [ ]` items and mark finished ones `- [x]`.',
      '- Keep it short: remove what no longer matters. It is a working note, not a report.',
    ].join('\n'),
  )
}
