import { defineBackend } from '../../core/backend/define.ts'
import { START_GAP_MS } from '../start-gap.ts'
import { invoke } from './invocation.ts'
import { QwenSession } from './session.ts'
import { setup } from './setup.ts'

/** Qwen Code, one headless run a prompt. Measured with 0.24.4. */
export default defineBackend({
  name: 'qwen',
  summary: 'Qwen Code, streaming JSON',
  program: 'qwen',
  traits: {
    startGapMs: START_GAP_MS,
    output: 'stream',
    reportsTokens: true,
    takesModel: true,
    env: ['QWEN_*', 'DASHSCOPE_*', 'OPENAI_*'],
    access: 'everything you may do here: --yolo',
    verified: true,
  },
  setup,
  invoke,
  open: (task) => new QwenSession(task.prompt),
})
