import { defineBackend } from '../../core/backend/define.ts'
import { START_GAP_MS } from '../start-gap.ts'

/** Kiro CLI, one chat a prompt. Written from its documentation. */
export default defineBackend({
  name: 'kiro',
  summary: 'Kiro CLI, text',
  program: 'kiro-cli',
  traits: {
    startGapMs: START_GAP_MS,
    takesModel: true,
    access: 'everything you may do here: --trust-all-tools',
    verified: false,
  },
  invoke: ({ command = 'kiro-cli', model, args, prompt }) => ({
    argv: [
      command,
      'chat',
      '--no-interactive',
      '--trust-all-tools',
      ...(model === undefined ? [] : ['--model', model]),
      ...args,
      prompt,
    ],
    prompt: 'arg',
  }),
})
