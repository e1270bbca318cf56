import { defineBackend } from '../../core/backend/define.ts'
import { START_GAP_MS } from '../start-gap.ts'

/** Amp, one execution a prompt. Written from its documentation. */
export default defineBackend({
  name: 'amp',
  summary: 'Amp, text',
  program: 'amp',
  traits: {
    startGapMs: START_GAP_MS,
    access: 'everything you may do here: --dangerously-allow-all',
    verified: false,
  },
  setup: {
    install: 'npm install -g @sourcegraph/amp',
    login: {
      variables: ['AMP_API_KEY'],
      files: [],
      elsewhere: { where: 'its own settings' },
      how: 'amp login',
    },
  },
  invoke: ({ command = 'amp', args, prompt }) => ({
    argv: [command, '--dangerously-allow-all', ...args, '-x', prompt],
    prompt: 'arg',
  }),
})
