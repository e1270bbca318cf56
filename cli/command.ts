import { type CommandDef, defineCommand } from 'citty'
import { type CommandSpec, type GLOBAL_FLAGS, type Parsed, parseArguments } from './arguments.ts'
import { renderHelp } from './help.ts'
import { writeOut } from './stdout.ts'
import { lookForPages } from './terminal.ts'

/** One command, as its file in `commands/` exports it. */
export interface Command {
  readonly spec: CommandSpec
  /** `words`: what follows the command's name. Gives the exit code; throws `RalphError` for what a person did wrong. */
  run(words: readonly string[]): Promise<number>
}

/** Specs of commands take the global flags beside their own. */
export type LeafSpec = CommandSpec & { readonly flags: typeof GLOBAL_FLAGS }

/** Joins a grammar with what the command does once its words have been read by it. */
export function createCommand<const S extends LeafSpec>(
  spec: S,
  act: (parsed: Parsed<S>) => Promise<number>,
): Command {
  return { spec, run: (words) => act(parseArguments(spec, words)) }
}

/**
 * A command as a leaf of citty's tree. The reading of its words is ours, since citty lets unknown flags pass, keeps only
 * the last of a repeated one, and takes `--help` for itself even where it is data.
 */
export function leaf(command: Command): CommandDef {
  const { spec } = command
  const made = defineCommand({
    meta: { name: spec.name, description: spec.summary },
    run: async ({ rawArgs }) => {
      if (!asksForHelp(rawArgs)) return command.run(rawArgs)
      writeOut(renderHelp(spec, lookForPages(rawArgs)))
      return 0
    },
  })
  specs.set(made, spec)
  return made
}

/** The grammar of a leaf; undefined for a command that only groups others. */
export function specOf(command: CommandDef): CommandSpec | undefined {
  return specs.get(command)
}

const specs = new WeakMap<CommandDef, CommandSpec>()

/** True if the words ask for the help page: `--help` or `-h` before `--`. What follows `--` is data. */
export function asksForHelp(words: readonly string[]): boolean {
  return beforeRest(words).some((word) => word === '--help' || word === '-h')
}

/** True if the words ask for the version. */
export function asksForVersion(words: readonly string[]): boolean {
  return beforeRest(words).some((word) => word === '--version' || word === '-V')
}

function beforeRest(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return end < 0 ? words : words.slice(0, end)
}
