import { defineBackend } from '../../core/backend/define.ts'
import { MODEL_KEYS } from '../model-keys.ts'
import { RecordSession } from '../record-session.ts'
import { START_GAP_MS } from '../start-gap.ts'
import { enforces } from './access.ts'
import { invoke } from './invocation.ts'
import { OpencodeReader } from './reader.ts'
import { setup } from './setup.ts'

/** OpenCode, one `run` a prompt. Measured with 1.18.33. */
export default defineBackend({
  name: 'opencode',
  summary: 'OpenCode, streaming JSON',
  program: 'opencode',
  traits: {
    startGapMs: START_GAP_MS,
    output: 'stream',
    reportsCost: true,
    reportsTokens: true,
    takesModel: true,
    effort: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    resumes: true,
    enforces,
    env: ['OPENCODE_*', ...MODEL_KEYS],
    access: 'everything you may do here that its own settings do not deny: --auto',
    verified: true,
  },
  setup,
  invoke,
  open: (task) => new RecordSession(task.prompt, new OpencodeReader()),
})
