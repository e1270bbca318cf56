/** What `--color` says. */
export type ColourChoice = 'auto' | 'always' | 'never'

/** Puts codes around a text, or leaves it as it is. */
export interface Palette {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

/** Whether to colour a stream. A non-empty `NO_COLOR` wins over everything, `--color` over the rest. */
export function decideColour(request: {
  readonly choice: ColourChoice
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
}): boolean {
  const { choice, env, isTerminal } = request
  if (env.NO_COLOR) return false
  if (choice !== 'auto') return choice === 'always'
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return isTerminal && env.TERM !== 'dumb'
}

/** The colours of all views, chosen so that they read on dark and light grounds. */
export function createPalette(coloured: boolean): Palette {
  const paint = (open: number, close: number) => (text: string) =>
    coloured && text !== '' ? `\x1b[${open}m${text}\x1b[${close}m` : text
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  }
}
