import { isTerminal } from './is-terminal.ts'
import { type ColourChoice, createPalette, decideColour, type Palette } from './view/colour.ts'
import { RULE_COLUMNS } from './view/rule.ts'

/** What a command must know of the terminals before it writes. Never touches `process.stdout` (it would lose data at exit). */
export interface Terminal {
  readonly stdoutIsTerminal: boolean
  readonly stderrIsTerminal: boolean
  /** For stdout. */
  readonly out: Palette
  /** For stderr. */
  readonly err: Palette
  /** Width of stderr; at least 40. */
  readonly columns: number
}

/** Looks at the streams of this process. `colour`: the value of `--color`, if it is given. */
export function lookAtTerminal(
  colour: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const choice: ColourChoice = colour === 'always' || colour === 'never' ? colour : 'auto'
  const stdoutIsTerminal = isTerminal(1)
  const stderrIsTerminal = isTerminal(2)
  const palette = (isTerminal: boolean) => createPalette(decideColour({ choice, env, isTerminal }))
  return {
    stdoutIsTerminal,
    stderrIsTerminal,
    out: palette(stdoutIsTerminal),
    err: palette(stderrIsTerminal),
    columns: Math.max(40, (stderrIsTerminal && process.stderr.columns) || RULE_COLUMNS),
  }
}

/** How a page of help looks on stdout. `words`: those of the command line, which have not been read strictly. */
export function lookForPages(words: readonly string[]): {
  readonly paint: Palette
  readonly columns?: number
} {
  const terminal = lookAtTerminal(colourAmong(words), process.env)
  const columns = stdoutColumns(terminal)
  return { paint: terminal.out, ...(columns === null ? {} : { columns }) }
}

/** Width of stdout, where it is a terminal and may be taken for the same one as stderr; else null. */
export function stdoutColumns(terminal: Terminal): number | null {
  return terminal.stdoutIsTerminal && terminal.stderrIsTerminal ? terminal.columns : null
}

/** The value of `--color` among words that have not been read strictly. */
export function colourAmong(words: readonly string[]): string | undefined {
  for (const [i, word] of words.entries()) {
    if (word === '--') return undefined
    if (word === '--color') return words[i + 1]
    if (word.startsWith('--color=')) return word.slice('--color='.length)
  }
  return undefined
}
