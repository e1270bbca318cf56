import { describe, expect, test } from 'bun:test'
import { withoutSecrets } from '../../../cli/view/without-secrets.ts'
import type { RunEvent } from '../../../core/run-event.ts'
import { collectSecrets } from '../../../core/secrets.ts'

const secrets = collectSecrets({ MY_API_KEY: 'value-of-key' })

/** What an observer is told of these. */
function told(...events: readonly RunEvent[]): readonly RunEvent[] {
  const heard: RunEvent[] = []
  const report = withoutSecrets((event) => heard.push(event), secrets)
  for (const event of events) report(event)
  return heard
}

const says = (delta: string): RunEvent => ({ type: 'text_delta', iteration: 1, delta })
const worker = (worker_index: number, delta: string): RunEvent => ({
  type: 'wave_worker_text_delta',
  worker_index,
  delta,
  wave_id: 'w',
})
const tool: RunEvent = { type: 'tool_call_start', iteration: 1, tool_name: 'x', tool_call_id: '1', input: '' }
const retry = (payload_preview: string): RunEvent => ({
  type: 'error',
  iteration: 0,
  code: 'worker_retry',
  message: 'again',
  recoverable: true,
  wave_id: 'w',
  wave_index: 0,
  payload_preview,
})

describe('an observer is told no secret', () => {
  test('that a speaker says in pieces', () => {
    expect(told(says('the val'), says('ue-of-'), says('key is it'))).toEqual([
      says('the '),
      says('[redacted MY_API_KEY] is it'),
    ])
  })

  test('nor is what two speakers say at once taken for one', () => {
    expect(told(worker(0, 'value-'), worker(1, 'of-key'), worker(0, 'free'))).toEqual([
      worker(1, 'of-key'),
      worker(0, 'value-free'),
    ])
  })

  test('and hears what was held back before anything else of that speaker', () => {
    expect(told(says('a val'), tool)).toEqual([says('a '), says('val'), tool])
    expect(told(worker(0, 'a val'), tool, retry(''))).toEqual([
      worker(0, 'a '),
      tool,
      worker(0, 'val'),
      retry(''),
    ])
  })

  test('of which a preview shows the first half', () => {
    const padding = 'x'.repeat(190)
    expect(told(retry(`${padding} value-of-`))).toEqual([retry(`${padding} `)])
    expect(told(retry('a short val'))).toEqual([retry('a short val')])
  })
})
