import { defineBackend } from '../../core/backend/define.ts'
import { START_GAP_MS } from '../start-gap.ts'
import { StreamJsonSession } from '../stream-json.ts'
import { enforces } from './access.ts'
import { rootCaveat } from './caveats.ts'
import { invoke } from './invocation.ts'
import { setup } from './setup.ts'

/** Claude Code, one headless run a prompt. Measured with 2.1.197 and 2.1.332. */
export default defineBackend({
  name: 'claude',
  summary: 'Claude Code, streaming JSON',
  program: 'claude',
  traits: {
    startGapMs: START_GAP_MS,
    output: 'stream',
    reportsCost: true,
    reportsTokens: true,
    takesModel: true,
    effort: ['low', 'medium', 'high', 'xhigh', 'max'],
    resumes: true,
    contextWindow: 200_000,
    enforces,
    env: [
      'ANTHROPIC_*',
      'CLAUDE_*',
      'AWS_*',
      'CLOUD_ML_REGION',
      'GOOGLE_*',
      'IS_SANDBOX',
      'DISABLE_*',
      'API_TIMEOUT_MS',
    ],
    access: 'everything you may do here: --dangerously-skip-permissions, your own settings are left out',
    verified: true,
  },
  setup,
  invoke,
  caveats: rootCaveat,
  open: (task) => new StreamJsonSession(task.prompt, task.resume?.costUsd ?? 0),
})
