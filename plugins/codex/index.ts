import { defineBackend } from '../../core/backend/define.ts'
import { RecordSession } from '../record-session.ts'
import { START_GAP_MS } from '../start-gap.ts'
import { enforces } from './access.ts'
import { invoke } from './invocation.ts'
import { CodexReader } from './reader.ts'
import { setup } from './setup.ts'

/** Codex CLI, one `exec` a prompt. Measured with 0.171.0. */
export default defineBackend({
  name: 'codex',
  summary: 'Codex CLI, streaming JSON',
  program: 'codex',
  traits: {
    startGapMs: START_GAP_MS,
    output: 'stream',
    reportsTokens: true,
    takesModel: true,
    effort: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    resumes: true,
    enforces,
    env: ['OPENAI_*', 'CODEX_*'],
    access: 'everything you may do here: --dangerously-bypass-approvals-and-sandbox',
    verified: true,
  },
  setup,
  invoke,
  open: (task) => new RecordSession(task.prompt, new CodexReader(task.resume?.usage ?? null)),
})
