import type { AgentTask, Invocation } from '../../core/backend/contract.ts'
import { defineBackend } from '../../core/backend/define.ts'

/** `cli.backend: custom`, and a hat's `{command, …}`: the user says which program, and how it takes its prompt. */
export default defineBackend({
  name: 'custom',
  summary: 'any program that takes a prompt and prints an answer',
  traits: { access: 'whatever the configured program may do', verified: true },
  invoke,
  async detect() {
    const hint = 'set cli.command, or give a hat a backend with a command'
    return { found: false, program: 'custom', problems: [{ message: 'it has no program of its own', hint }] }
  },
})

function invoke({ command, args, prompt, promptMode = 'arg', promptFlag }: AgentTask): Invocation {
  if (command === undefined) throw new Error('no command is configured')
  if (promptMode === 'stdin') return { argv: [command, ...args], prompt: 'stdin' }
  const flag = promptFlag === undefined ? [] : [promptFlag]
  return { argv: [command, ...args, ...flag, prompt], prompt: 'arg' }
}
