import { defineBackend } from '../../core/backend/define.ts'
import { invoke } from './invocation.ts'
import { QwenSession } from './session.ts'

/** Qwen Code, one headless run a prompt. Measured with 0.24.4. */
export default defineBackend({
  name: 'qwen',
  summary: 'Qwen Code, streaming JSON',
  program: 'qwen',
  traits: {
    output: 'stream',
    reportsTokens: true,
    takesModel: true,
    env: ['QWEN_*', 'DASHSCOPE_*', 'OPENAI_*'],
    access: 'everything you may do here: --yolo',
    verified: true,
  },
  invoke,
  open: (task) => new QwenSession(task.prompt),
})
