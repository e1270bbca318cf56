import type { Traits } from './contract.ts'

/** What an agent must know of its program's shell tool, a line for each thing that the tool does not do. */
export function shellAdvice(shell: Traits['shell']): readonly string[] {
  return [
    ...(shell.substitution
      ? []
      : ['Your shell refuses commands with `$(…)`, `<(…)` or backticks, quoted ones too: write none.']),
    ...(shell.keepsPath
      ? []
      : ['Your shell looks for programs elsewhere: call `"$RALPH_BIN"` where `ralph` is not found.']),
    ...(shell.keepsEnvironment
      ? []
      : [
          'Your shell hides the environment: call `ralph` as a plain command in the foreground, by which it still knows you.',
        ]),
    ...(shell.keepsGit
      ? []
      : ['Git hooks do not run in your shell: run what they check yourself before you commit.']),
  ]
}
