import { defineBackend } from '../../core/backend/define.ts'
import { START_GAP_MS } from '../start-gap.ts'

/** Roo Code CLI, one run a prompt, which it reads from a file. Written from its documentation. */
export default defineBackend({
  name: 'roo',
  summary: 'Roo Code CLI, text',
  program: 'roo',
  traits: {
    startGapMs: START_GAP_MS,
    takesModel: true,
    access: 'everything you may do here: it asks for nothing',
    verified: false,
  },
  invoke: ({ command = 'roo', model, args, promptFile }) => ({
    argv: [
      command,
      '--print',
      '--ephemeral',
      ...(model === undefined ? [] : ['--model', model]),
      ...args,
      '--prompt-file',
      promptFile ?? 'prompt.md',
    ],
    prompt: 'file',
  }),
})
