import { defineBackend } from '../../core/backend/define.ts'
import { invoke } from './invocation.ts'
import { GeminiSession } from './session.ts'

/** Gemini CLI, one headless run a prompt. Measured with 0.61.0. */
export default defineBackend({
  name: 'gemini',
  summary: 'Gemini CLI, streaming JSON',
  program: 'gemini',
  traits: {
    output: 'stream',
    reportsTokens: true,
    takesModel: true,
    contextWindow: 1_048_576,
    // Refused whatever is allowed otherwise: `$(…)`, backticks, `<(…)`.
    shell: { substitution: false },
    access: 'everything you may do here: --yolo, and this folder counts as trusted',
    verified: true,
  },
  invoke,
  open: (task) => new GeminiSession(task.prompt),
})
