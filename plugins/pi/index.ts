import { defineBackend } from '../../core/backend/define.ts'
import { MODEL_KEYS } from '../model-keys.ts'
import { RecordSession } from '../record-session.ts'
import { START_GAP_MS } from '../start-gap.ts'
import { invoke } from './invocation.ts'
import { PiReader } from './reader.ts'
import { setup } from './setup.ts'

/** The pi coding agent, one headless run a prompt. Measured with 0.73.1 and 1.6.0. */
export default defineBackend({
  name: 'pi',
  summary: 'pi coding agent, streaming JSON',
  program: 'pi',
  traits: {
    startGapMs: START_GAP_MS,
    output: 'stream',
    reportsCost: true,
    reportsTokens: true,
    takesModel: true,
    effort: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    enforces: {
      read: {
        says: 'reads files, and has no tool for anything else',
        delivers: 'message',
        heredoc: false,
        undoneBy: ['--tools', '-t', '--extension', '-e'],
      },
    },
    env: ['PI_*', ...MODEL_KEYS],
    access: 'everything you may do here: it asks for nothing',
    verified: true,
  },
  setup,
  invoke,
  open: (task) => new RecordSession(task.prompt, new PiReader()),
})
