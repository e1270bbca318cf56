import { unreachable } from '../../core/result.ts'
import type { FlagSpec } from '../arguments.ts'
import type { CommandEntry } from '../command-list.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A script that completes the words of all commands. Ends with a newline. */
export function renderCompletions(shell: Shell, commands: readonly CommandEntry[]): string {
  switch (shell) {
    case 'bash':
      return renderBash(commands)
    case 'zsh':
      return renderZsh(commands)
    case 'fish':
      return renderFish(commands)
    default:
      return unreachable(shell)
  }
}

/** `at` becomes the command that the words before the cursor name; what follows depends on it. */
function renderBash(commands: readonly CommandEntry[]): string {
  return `# Completions of ralph for bash. Load: source <(ralph completions bash)
_ralph() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= word candidates=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${steps(commands)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at $prev" in
${choiceCases(commands, (words) => `candidates='${words}'`)}
    *) case "$at" in
${wordCases(commands, (words) => `candidates='${words}'`)}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$cur"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -F _ralph ralph
`
}

function renderZsh(commands: readonly CommandEntry[]): string {
  return `#compdef ralph
# Completions of ralph for zsh. Load: source <(ralph completions zsh)
_ralph() {
  local at= word prev=\${words[CURRENT-1]}
  local -a candidates
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
      ${steps(commands)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at $prev" in
${choiceCases(commands, (words) => `candidates=(${words})`)}
    *) case "$at" in
${wordCases(commands, (words) => `candidates=(${words})`)}
    esac ;;
  esac
  compadd -- $candidates || _files
}
if [ "\${funcstack[1]}" = _ralph ]; then _ralph; else compdef _ralph ralph; fi
`
}

function renderFish(commands: readonly CommandEntry[]): string {
  const lines = commands.flatMap((command) => {
    const when = `complete -c ralph -n '__ralph_at "${command.path}"'`
    const below = command.children.map((word) => {
      const summary = commands.find((one) => one.path === join(command.path, word))?.summary ?? ''
      return `${when} -f -a ${word} -d ${quoted(summary)}`
    })
    const flags = shown(command).map(([name, flag]) => {
      const short = flag.short === undefined ? '' : ` -s ${flag.short}`
      const value =
        flag.choices !== undefined ? ` -x -a '${flag.choices.join(' ')}'` : flag.type === 'bool' ? '' : ' -r'
      return `${when} -l ${name}${short}${value} -d ${quoted(flag.description)}`
    })
    return [...below, ...flags]
  })
  return `# Completions of ralph for fish. Keep as ~/.config/fish/completions/ralph.fish
function __ralph_at
  set -l at ''
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${steps(commands).replaceAll('|', ' ')}
        set at (string trim "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

/** Patterns of "where we are, and the next word" that lead one step down the tree. */
function steps(commands: readonly CommandEntry[]): string {
  return commands.flatMap(({ path, children }) => children.map((word) => `'${path} ${word}'`)).join('|')
}

function wordCases(commands: readonly CommandEntry[], set: (words: string) => string): string {
  return commands
    .map((command) => {
      const flags = shown(command).map(([name]) => `--${name}`)
      return `      '${command.path}') ${set([...command.children, ...flags].join(' '))} ;;`
    })
    .join('\n')
}

/** Flags that take one of a few words. */
function choiceCases(commands: readonly CommandEntry[], set: (words: string) => string): string {
  return commands
    .flatMap((command) =>
      shown(command).flatMap(([name, flag]) =>
        flag.choices === undefined
          ? []
          : [`    '${command.path} --${name}') ${set(flag.choices.join(' '))} ;;`],
      ),
    )
    .join('\n')
}

const shown = ({ flags }: CommandEntry): readonly (readonly [string, FlagSpec])[] =>
  Object.entries(flags).filter(([, flag]) => flag.hidden !== true)

const join = (path: string, word: string): string => (path === '' ? word : `${path} ${word}`)

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
