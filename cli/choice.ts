import type { CommandDef, Resolvable } from 'citty'
import { GLOBAL_FLAGS } from './arguments.ts'

/** Which command a command line names. */
export type Choice =
  | {
      readonly kind: 'command'
      readonly command: CommandDef
      /** Names on the way to it; empty for the root. */
      readonly path: readonly string[]
      /** The other words, in order: global flags before the name, and all that follows it. */
      readonly words: readonly string[]
      /** True if the words hold nothing but global flags. */
      readonly bare: boolean
    }
  | {
      readonly kind: 'unknown'
      readonly path: readonly string[]
      readonly word: string
      /** What could have stood there. */
      readonly known: readonly string[]
    }

/**
 * Follows the words down the tree. Global flags may stand before a command's name; any other flag ends the search,
 * since its value could look like a name.
 */
export async function chooseCommand(root: CommandDef, argv: readonly string[]): Promise<Choice> {
  const path: string[] = []
  const words: string[] = []
  let command = root
  let next = 0
  let children = await childrenOf(root)
  while (children !== null && next < argv.length) {
    const word = argv[next] as string
    const length = globalFlagLength(word)
    if (length > 0) {
      words.push(...argv.slice(next, next + length))
      next += length
      continue
    }
    if (word.startsWith('-')) break
    const child = Object.hasOwn(children, word) ? children[word] : undefined
    if (child === undefined) return { kind: 'unknown', path, word, known: Object.keys(children) }
    command = await settled(child)
    children = await childrenOf(command)
    path.push(word)
    next++
  }
  return { kind: 'command', command, path, words: [...words, ...argv.slice(next)], bare: next >= argv.length }
}

/** The commands below one, or null for a leaf. */
export async function childrenOf(
  command: CommandDef,
): Promise<Readonly<Record<string, Resolvable<CommandDef>>> | null> {
  return command.subCommands === undefined ? null : settled(command.subCommands)
}

/** What citty may hold as a value, a promise, or a function that gives one of them. */
export async function settled<T extends object>(value: Resolvable<T>): Promise<T> {
  return typeof value === 'function' ? value() : value
}

/** Number of words that a global flag takes here; 0 if `word` is none. */
function globalFlagLength(word: string): number {
  for (const [name, flag] of Object.entries(GLOBAL_FLAGS)) {
    const short = 'short' in flag ? flag.short : undefined
    if (word === `--${name}` || word === `-${short}`) return flag.type === 'bool' ? 1 : 2
    if (flag.type === 'bool') continue
    if (word.startsWith(`--${name}=`) || (short !== undefined && word.startsWith(`-${short}`))) return 1
  }
  return 0
}
