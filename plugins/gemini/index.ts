import { defineBackend } from '../../core/backend/define.ts'
import { START_GAP_MS } from '../start-gap.ts'
import { enforces } from './access.ts'
import { invoke } from './invocation.ts'
import { GeminiSession } from './session.ts'
import { setup } from './setup.ts'

/** Gemini CLI, one headless run a prompt. Measured with 0.61.0. */
export default defineBackend({
  name: 'gemini',
  summary: 'Gemini CLI, streaming JSON',
  program: 'gemini',
  traits: {
    startGapMs: START_GAP_MS,
    output: 'stream',
    reportsTokens: true,
    takesModel: true,
    resumes: true,
    contextWindow: 1_048_576,
    echoesAndDrops: true,
    // A command with `$(…)`, backticks or `<(…)` is refused whatever is allowed otherwise, in a quoted heredoc too: a report
    // in Markdown can only be handed over as a file, and its file tool writes nowhere but in the workspace.
    // It gives commands a Git without the user's configuration, and without hooks.
    shell: { heredoc: false, substitution: false, keepsGit: false },
    enforces,
    env: ['GEMINI_*', 'GOOGLE_*'],
    access: 'everything you may do here: --yolo, and this folder counts as trusted',
    verified: true,
  },
  setup,
  invoke,
  open: (task) => new GeminiSession(task.prompt),
})
