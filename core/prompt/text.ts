/** A section of a prompt: its title, then the parts that are not blank, a blank line apart. */
export function section(title: string, ...parts: readonly string[]): string {
  return paragraphs(title, ...parts)
}

/** The parts that are not blank, a blank line apart. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n')
}

/** Foreign text, verbatim, in a code fence that no run of backticks in it can close. */
export function fence(text: string): string {
  const ticks = '`'.repeat(Math.max(3, longestRunOfBackticks(text) + 1))
  return `${ticks}\n${text}\n${ticks}`
}

/** Foreign text in a tag. A closing tag inside the text is written `<\/name`, so that it closes nothing. */
export function element(name: string, attributes: string, text: string): string {
  return `<${name}${attributes}>\n${text.replaceAll(`</${name}`, `<\\/${name}`)}\n</${name}>`
}

/** `label: text` for one line of foreign text, a fence under the label for several. */
export function labelled(label: string, text: string): string {
  if (text.trim() === '') return `${label}: (empty)`
  return /[\r\n]/.test(text) ? `${label}:\n${fence(text)}` : `${label}: ${text}`
}

/** Text on one line: every run of white space becomes a space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}

/** The first `count` characters, with `…` if there are more. */
export function excerpt(text: string, count: number): string {
  // A character has at most two UTF-16 units, so this slice holds at least one more than `count` if the text does.
  const characters = [...text.slice(0, 2 * count + 2)]
  return characters.length <= count ? text : `${characters.slice(0, count).join('')}…`
}

/** A cell of a Markdown table. */
export function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|')
}

/** Seconds with one decimal, as people read them: `12.3 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function longestRunOfBackticks(text: string): number {
  if (!text.includes('```')) return 2
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
