import { describe, expect, test } from 'bun:test'
import { renderWaveSpending } from '../../../cli/view/wave-spending.ts'
import { workerDone } from './run-events.ts'

const TOLD = { cost_usd: 0.0042, cost_source: 'reported', input_tokens: 3000, output_tokens: 60 } as const

describe('what the workers of a wave spent', () => {
  test('stands as a sum and for each, in the order of the items', () => {
    const workers = [
      workerDone({ ...TOLD, index: 1, cost_usd: 0.5, output_tokens: 1200 }),
      workerDone({ ...TOLD, index: 0 }),
    ]
    expect(renderWaveSpending(workers)).toEqual([
      '  workers: $0.50 | 6.0k tokens in, 1.3k out',
      '    1: $0.0042 | 3.0k tokens in, 60 out',
      '    2: $0.50 | 3.0k tokens in, 1.2k out',
    ])
  })

  test('says what is unknown, and that a sum leaves it out', () => {
    const workers = [
      workerDone({ ...TOLD, index: 0, cost_source: 'derived' }),
      workerDone({ ...TOLD, index: 1, cost_usd: null, cost_source: null }),
      workerDone({ index: 2 }),
    ]
    expect(renderWaveSpending(workers)).toEqual([
      '  workers: $0.0042 (derived) | 6.0k tokens in, 120 out, and what 2 workers did not tell',
      '    1: $0.0042 (derived) | 3.0k tokens in, 60 out',
      '    2: cost unknown | 3.0k tokens in, 60 out',
      '    3: cost unknown | tokens unknown',
    ])
  })

  test('is nothing where no program tells', () => {
    expect(renderWaveSpending([workerDone(), workerDone({ index: 1 })])).toEqual([])
  })

  test('is one line for more workers than a screen bears', () => {
    const workers = Array.from({ length: 13 }, (_, index) => workerDone({ ...TOLD, index }))
    expect(renderWaveSpending(workers)).toEqual(['  workers: $0.0546 | 39k tokens in, 780 out'])
  })

  test('leaves out what an earlier wave has paid', () => {
    const reused = { run_id: 'r', wave_id: 'w-0', index: 1 }
    const workers = [workerDone({ ...TOLD, index: 0 }), workerDone({ ...TOLD, index: 1, reused })]
    expect(renderWaveSpending(workers)).toEqual([
      '  workers: $0.0042 | 3.0k tokens in, 60 out',
      '    1: $0.0042 | 3.0k tokens in, 60 out',
    ])
  })
})
