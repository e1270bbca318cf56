import type { AgentTask, Backend, Invocation } from '../../core/backend/contract.ts'
import { openSession } from './session.ts'

/**
 * Plays any hat collection without a model. The program is this very `ralph` as `ralph mock-agent` (`play.ts`): a real
 * process that calls the real `ralph emit`. Scripts are described in docs/mock-scripts.md.
 */
const mock: Backend = {
  name: 'mock',
  summary: 'plays the hats without a model, by itself or by a script',
  traits: {
    output: 'stream',
    reportsCost: true,
    reportsTokens: true,
    takesModel: true,
    contextWindow: 0,
    shell: { heredoc: true, substitution: true, keepsPath: true, keepsEnvironment: true },
    access: 'plays the hats without a model; runs only what its script says',
    verified: true,
  },
  detect: async () => ({ found: true, program: 'ralph mock-agent', problems: [] }),
  // A config's own `command` is another backend's program: `-b mock` rehearses such a config as it is.
  invoke: (task: AgentTask): Invocation => ({
    argv: [
      task.ralph,
      'mock-agent',
      ...(task.model === undefined ? [] : ['--model', task.model]),
      ...task.args,
    ],
    prompt: 'stdin',
  }),
  open: openSession,
}

export default mock
