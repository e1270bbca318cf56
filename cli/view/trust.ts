import { relative } from 'node:path'
import type { Place } from '../../core/config/tree.ts'
import { unreachable } from '../../core/result.ts'
import type { Executable } from '../../core/trust/executable.ts'
import type { Palette } from './colour.ts'

/** One line for each thing that would be executed: what exactly, and where the workspace says so. */
export function renderExecutables(
  executables: readonly Executable[],
  workspace: string,
  paint: Palette,
): string {
  return executables
    .map((one) => `  ${paint.bold(renderExecutable(one))}  ${paint.dim(`(${sourceOf(one, workspace)})`)}\n`)
    .join('')
}

/** What would be executed, as a command line where it is one. `…` stands for what the backend adds itself. */
export function renderExecutable(executable: Executable): string {
  switch (executable.kind) {
    case 'program': {
      const [program = '', ...args] = executable.words.map(renderWord)
      return [program, ...(executable.more ? ['…'] : []), ...args].join(' ')
    }
    case 'plugin':
      return `plugin ${renderWord(executable.name)}`
    case 'script':
      return `mock script ${renderWord(executable.path)}`
    default:
      return unreachable(executable)
  }
}

/** A word as a POSIX shell reads it; what a terminal would obey, or show as something else, is spelled out. */
export function renderWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  const quoted = word.replaceAll("'", "'\\''")
  if (!HIDDEN.test(word)) return `'${quoted}'`
  return `$'${word.replace(/[\\']/g, '\\$&').replace(HIDDEN_ALL, escaped)}'`
}

/** Control and format characters, separators other than the blank. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u
const HIDDEN_ALL = new RegExp(HIDDEN, 'gu')

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`
}

function sourceOf(executable: Executable, workspace: string): string {
  switch (executable.kind) {
    case 'program': {
      const places = [...new Set(executable.places.map(renderPlace))].join(', ')
      return executable.hat === '' ? places : `hat ${renderWord(executable.hat)}, ${places}`
    }
    case 'plugin':
      return renderWord(relative(workspace, executable.path))
    case 'script':
      return renderPlace(executable.place)
    default:
      return unreachable(executable)
  }
}

function renderPlace({ origin, line, column }: Place): string {
  return [renderWord(origin.label), line, column].filter((part) => part !== undefined).join(':')
}
