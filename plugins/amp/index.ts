import { defineBackend } from '../../core/backend/define.ts'

/** Amp, one execution a prompt. Written from its documentation. */
export default defineBackend({
  name: 'amp',
  summary: 'Amp, text',
  program: 'amp',
  traits: { access: 'everything you may do here: --dangerously-allow-all', verified: false },
  invoke: ({ command = 'amp', args, prompt }) => ({
    argv: [command, '--dangerously-allow-all', ...args, '-x', prompt],
    prompt: 'arg',
  }),
})
