import type { Palette } from './colour.ts'
import { rule } from './rule.ts'
import { safeText } from './safe-text.ts'

/** A prompt in full, as `-v` shows it on stderr. */
export function renderPrompt(title: string, text: string, paint: Palette): string {
  const body = safeText(text)
  return `${paint.dim(rule(`Prompt: ${title}`))}\n${body}${body.endsWith('\n') ? '' : '\n'}${paint.dim(rule('End of prompt'))}\n`
}
