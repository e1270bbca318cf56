import { defineBackend } from '../../core/backend/define.ts'
import { START_GAP_MS } from '../start-gap.ts'

/** Forge, one run a prompt. Written from its documentation. */
export default defineBackend({
  name: 'forge',
  summary: 'Forge, text',
  program: 'forge',
  traits: { startGapMs: START_GAP_MS, access: 'what its own settings allow', verified: false },
  invoke: ({ command = 'forge', args, prompt }) => ({
    argv: [command, ...args, '-p', prompt],
    prompt: 'arg',
  }),
})
