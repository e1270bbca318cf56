import { type CommandDef, runCommand } from 'citty'
import { RalphError, usageError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import { GLOBAL_FLAGS } from './arguments.ts'
import { type Choice, childrenOf, chooseCommand, settled } from './choice.ts'
import { asksForHelp, asksForVersion } from './command.ts'
import { type Listed, renderTree } from './help.ts'
import { writeOut } from './stdout.ts'
import { lookForPages } from './terminal.ts'
import { EXAMPLES, NOT_AVAILABLE, TREE } from './tree.ts'
import { VERSION } from './version.ts'

/**
 * Runs the command that `argv` (without the program) names; without one it acts as `run`.
 * Gives the exit code. Throws `RalphError` for what a person did wrong.
 */
export async function runRoot(argv: readonly string[]): Promise<number> {
  const [first, ...others] = argv
  if (first === 'help') return runRoot([...others, '--help'])
  const choice = await chooseCommand(TREE, argv)
  if (choice.kind === 'unknown') throw unknownCommand(choice)
  const { path, words, bare } = choice
  const help = asksForHelp(words)
  if (!help && asksForVersion(words)) return print(`ralph ${VERSION}\n`)

  const children = await childrenOf(choice.command)
  if (children === null) return run(choice.command, words)
  if (help && bare) return print(await branchPage(choice.command, path, argv))
  const standard = choice.command.default
  if (typeof standard === 'string' && children[standard] !== undefined) {
    return run(await settled(children[standard]), words)
  }
  const name = ['ralph', ...path].join(' ')
  throw usageError(`${name} needs one of: ${Object.keys(children).join(', ')}`, `see \`${name} --help\``)
}

async function run(command: CommandDef, words: readonly string[]): Promise<number> {
  const { result } = await runCommand(command, { rawArgs: [...words] })
  if (typeof result !== 'number') throw new Error('a command gave no exit code')
  return result
}

function print(text: string): number {
  writeOut(text)
  return 0
}

function unknownCommand(choice: Extract<Choice, { readonly kind: 'unknown' }>): RalphError {
  const name = [...choice.path, choice.word].join(' ')
  if (NOT_AVAILABLE.has(name)) {
    return new RalphError('not_available', `\`ralph ${name}\` is not available`, {
      exitCode: 2,
      hint: '`ralph --help` lists the commands that are there',
    })
  }
  if (choice.path.length === 0 && /\s/.test(choice.word)) {
    return usageError('an objective is given with -p', "ralph run -p 'What is to be done'")
  }
  const guess = nearest(choice.word, choice.path.length === 0 ? [...choice.known, 'help'] : choice.known)
  const hint =
    guess === null
      ? `one of: ${choice.known.join(', ')}`
      : `did you mean \`${['ralph', ...choice.path, guess].join(' ')}\`?`
  return usageError(`unknown command \`ralph ${name}\``, hint)
}

/** The help page of a command that has others below it. */
async function branchPage(
  command: CommandDef,
  path: readonly string[],
  argv: readonly string[],
): Promise<string> {
  const meta = await settled(command.meta ?? {})
  const tree = {
    name: ['ralph', ...path].join(' '),
    summary: meta.description ?? '',
    examples: EXAMPLES[path.join(' ')] ?? [],
    commands: await listed(command, path),
    flags: GLOBAL_FLAGS,
  }
  return renderTree(tree, lookForPages(argv))
}

async function listed(command: CommandDef, path: readonly string[]): Promise<readonly Listed[]> {
  const found: Listed[] = []
  for (const [word, child] of Object.entries((await childrenOf(command)) ?? {})) {
    const resolved = await settled(child)
    const below = [...path, word]
    if ((await childrenOf(resolved)) !== null) found.push(...(await listed(resolved, below)))
    else
      found.push({ name: below.join(' '), summary: (await settled(resolved.meta ?? {})).description ?? '' })
  }
  return found
}
