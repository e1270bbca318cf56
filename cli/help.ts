import type { CommandSpec, FlagSpec } from './arguments.ts'
import type { Palette } from './view/colour.ts'
import { wrap } from './view/wrap.ts'

/** A line of a list of commands. */
export interface Listed {
  /** Without `ralph`, such as `wave run`. */
  readonly name: string
  readonly summary: string
}

/** How a page looks. */
export interface PageStyle {
  readonly paint: Palette
  /** Columns of the terminal; pages are never wider than `WIDTH`. */
  readonly columns?: number
}

/** The page of one command: examples first, then the form, then all flags with their defaults. Ends with a newline. */
export function renderHelp(spec: CommandSpec, style: PageStyle): string {
  const { paint } = style
  return page([
    `${paint.bold(`ralph ${spec.name}`)} — ${spec.summary}`,
    spec.examples.map((example) => `  ${paint.cyan(example)}`).join('\n'),
    `${paint.bold('Usage')}  ${renderUsage(spec)}`,
    ...renderArguments(spec, style),
    ...renderFlags(spec.flags, style),
  ])
}

/** The page of `ralph` itself, or of a word such as `ralph wave` that only groups commands. */
export function renderTree(
  tree: {
    readonly name: string
    readonly summary: string
    readonly examples: readonly string[]
    readonly commands: readonly Listed[]
    readonly flags: Readonly<Record<string, FlagSpec>>
  },
  style: PageStyle,
): string {
  const { paint } = style
  const commands = tree.commands.map(({ name, summary }) => [name, summary] as const)
  return page([
    `${paint.bold(tree.name)} — ${tree.summary}`,
    tree.examples.map((example) => `  ${paint.cyan(example)}`).join('\n'),
    `${paint.bold('Commands')}\n${table(commands, style)}`,
    ...renderFlags(tree.flags, style),
    `\`${tree.name} <command> --help\` tells all about a command.`,
  ])
}

function page(sections: readonly string[]): string {
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function renderUsage(spec: CommandSpec): string {
  const words = spec.positionals.map(({ name, required, variadic }) => {
    const shown = variadic ? `${name}…` : name
    return required ? `<${shown}>` : `[${shown}]`
  })
  const rest = spec.rest === undefined ? [] : [`[-- ${spec.rest.name}]`]
  return ['ralph', spec.name, ...words, '[flags]', ...rest].join(' ')
}

function renderArguments(spec: CommandSpec, style: PageStyle): readonly string[] {
  const rows = [
    ...spec.positionals.map(({ name, description }) => [name, description] as const),
    ...(spec.rest === undefined ? [] : [[`-- ${spec.rest.name}`, spec.rest.description] as const]),
  ]
  return rows.length === 0 ? [] : [`${style.paint.bold('Arguments')}\n${table(rows, style)}`]
}

/** One section for each group, in the order in which the groups first appear; the global flags come last. */
function renderFlags(flags: Readonly<Record<string, FlagSpec>>, style: PageStyle): readonly string[] {
  const groups = new Map<string, (readonly [string, string])[]>()
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.hidden) continue
    const group = flag.group ?? 'Flags'
    const rows = groups.get(group) ?? []
    rows.push([flagForm(name, flag), flagText(flag)])
    groups.set(group, rows)
  }
  const order = [...groups].sort(([a], [b]) => Number(a === LAST_GROUP) - Number(b === LAST_GROUP))
  return order.map(([group, rows]) => `${style.paint.bold(group)}\n${table(rows, style)}`)
}

const LAST_GROUP = 'Global'

function flagForm(name: string, flag: FlagSpec): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  if (flag.type === 'bool') return `${short}--${name}`
  return `${short}--${name} ${flag.value ?? 'VALUE'}${flag.type === 'variadic' ? '…' : ''}`
}

function flagText(flag: FlagSpec): string {
  const notes = [
    ...(flag.type === 'many' ? ['repeatable'] : []),
    ...(flag.default === undefined ? [] : [`default: ${flag.default}`]),
  ]
  return notes.length === 0 ? flag.description : `${flag.description} (${notes.join(', ')})`
}

/** Two columns, the second one wrapped. A term that is too long for the first has a line of its own. */
function table(rows: readonly (readonly [string, string])[], { paint, columns }: PageStyle): string {
  const width = Math.min(WIDTH, columns ?? WIDTH)
  const longest = Math.max(...rows.map(([term]) => term.length))
  const left = Math.min(LEFT_MAX, longest, Math.floor(width / 3))
  const indent = ' '.repeat(left + 4)
  return rows
    .map(([term, text]) => {
      const [first = '', ...more] = wrap(text, width - indent.length)
      const head =
        term.length > left
          ? `  ${paint.cyan(term)}\n${indent}${first}`
          : `  ${paint.cyan(term)}${' '.repeat(left - term.length)}  ${first}`
      return [head, ...more.map((line) => indent + line)].join('\n')
    })
    .join('\n')
}

const WIDTH = 96
const LEFT_MAX = 32
