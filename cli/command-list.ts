import type { CommandDef } from 'citty'
import type { FlagSpec } from './arguments.ts'
import { GLOBAL_FLAGS } from './arguments.ts'
import { childrenOf, settled } from './choice.ts'
import { specOf } from './command.ts'
import { TREE } from './tree.ts'

/** One place in the tree of commands. */
export interface CommandEntry {
  /** Words on the way to it, such as `wave emit`; empty for `ralph` itself. */
  readonly path: string
  readonly summary: string
  /** Words that may follow. */
  readonly children: readonly string[]
  readonly flags: Readonly<Record<string, FlagSpec>>
}

/** All commands, those that only group others too. A group takes the flags of its standard command. */
export async function listCommands(): Promise<readonly CommandEntry[]> {
  return list(TREE, [])
}

async function list(command: CommandDef, path: readonly string[]): Promise<readonly CommandEntry[]> {
  const children = (await childrenOf(command)) ?? {}
  const below: CommandEntry[] = []
  for (const [word, child] of Object.entries(children)) {
    below.push(...(await list(await settled(child), [...path, word])))
  }
  const standard = typeof command.default === 'string' ? [...path, command.default].join(' ') : undefined
  const flags =
    specOf(command)?.flags ?? below.find((entry) => entry.path === standard)?.flags ?? GLOBAL_FLAGS
  const { description = '' } = await settled(command.meta ?? {})
  return [{ path: path.join(' '), summary: description, children: Object.keys(children), flags }, ...below]
}
