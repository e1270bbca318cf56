import type { AgentTask, Backend, Enforcement, Invocation } from '../../core/backend/contract.ts'
import { openSession } from './session.ts'

/** It has no will of its own: what its script says is the user's word. */
const PLAYS: Enforcement = {
  says: 'plays the hats without a model; runs only what its script says',
  delivers: 'events',
  heredoc: true,
  undoneBy: [],
}

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
    // Every level of every program: a configuration is rehearsed as it is.
    effort: ['off', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    resumes: true,
    contextWindow: 0,
    startGapMs: 0,
    shell: { heredoc: true, substitution: true, keepsPath: true, keepsEnvironment: true, keepsGit: true },
    enforces: { read: PLAYS, edit: PLAYS },
    env: [],
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
      ...(task.effort === undefined ? [] : ['--effort', task.effort]),
      ...(task.access === undefined ? [] : ['--access', task.access]),
      ...(task.resume === undefined ? [] : ['--resume', task.resume.session]),
      ...task.args,
    ],
    prompt: 'stdin',
  }),
  open: openSession,
}

export default mock
