import type { Topic } from '../topic.ts'
import type { Material } from './brief.ts'

/** The shell commands that our prompts teach: forms in which the shell evaluates nothing (contract/loop §13.1). */
export type Shell = Pick<Material['backend'], 'heredoc' | 'outbox'>

/** The code block that emits one text on `topic`. `what` stands for the text. */
export function emitBlock(topic: Topic, what: string, shell: Shell): string {
  return shell.heredoc
    ? block(`ralph emit ${topic} --stdin <<'RALPH_EOF'`, what, 'RALPH_EOF')
    : block(`ralph emit ${topic} --payload-file ${file(shell)}`)
}

/** The sentences that belong to `emitBlock`, once a prompt. */
export function emitRules(shell: Shell): readonly string[] {
  return shell.heredoc
    ? [
        "The text between the two markers arrives as it stands. Keep the quotes around 'RALPH_EOF', and use this form even for short texts: a double-quoted text would have its backticks and `$(…)` run as commands.",
        'If a line of your text could itself be RALPH_EOF, write the text to a file and call `ralph emit TOPIC --payload-file FILE`.',
      ]
    : [
        `First write the text to a new file with your file tool, ${place(shell)}; FILE stands for it. Never put the text on the command line: its backticks and \`$(…)\` would run as commands.`,
      ]
}

function file({ outbox }: Shell): string {
  return outbox === undefined ? 'FILE && rm FILE' : `${outbox}/FILE`
}

function place({ outbox }: Shell): string {
  return outbox === undefined
    ? 'in the folder where you work and under a name that nobody else uses'
    : `in \`${outbox}\` and under a name that nobody else uses, of letters, digits and \`-\` with \`.md\` at its end`
}

/** The code block that dispatches a wave of longer items. `lines` are JSON objects. */
export function waveBlock(topic: Topic | null, lines: readonly string[], shell: Shell): string {
  const command = `ralph wave emit ${topic === null ? '' : `${topic} `}--jsonl`
  return shell.heredoc
    ? block(`${command} <<'RALPH_EOF'`, ...lines, 'RALPH_EOF')
    : block(`${command} --payloads-file ${file(shell)}`)
}

/** A topic to type in place of a pattern: `item.*` is shown as `item.NAME`. */
export function concreteForm(pattern: string): Topic {
  return pattern === '*' ? 'TOPIC' : pattern.replaceAll('*', 'NAME')
}

export function block(...lines: readonly string[]): string {
  return ['```', ...lines, '```'].join('\n')
}
