import { defineBackend } from '../../core/backend/define.ts'
import { RecordSession } from '../record-session.ts'
import { START_GAP_MS } from '../start-gap.ts'
import { invoke } from './invocation.ts'
import { CopilotReader } from './reader.ts'
import { setup } from './setup.ts'

/** GitHub Copilot CLI, one headless run a prompt. Measured with 1.0.102. */
export default defineBackend({
  name: 'copilot',
  summary: 'GitHub Copilot CLI, streaming JSON',
  program: 'copilot',
  traits: {
    startGapMs: START_GAP_MS,
    output: 'stream',
    takesModel: true,
    effort: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    env: ['COPILOT_*', 'GH_*', 'GITHUB_TOKEN'],
    access: 'everything you may do here: --allow-all-tools --allow-all-paths',
    verified: true,
  },
  setup,
  invoke,
  open: (task) => new RecordSession(task.prompt, new CopilotReader()),
})
