import { describe, expect, test } from 'bun:test'
import { simulateShell } from './shell.ts'
import { type Simulated, simulate } from './simulate.ts'

const SEEDS = 3000
const CHUNK = 500

/** What to do about a seed that fails stands in its message. */
function tell({ seed, failure }: Simulated): string | null {
  if (failure === null) return null
  return [
    `seed ${seed}: ${failure.reason}`,
    ...failure.journal,
    `replay it with: npm run test:sim -- --seed ${seed}`,
  ].join('\n')
}

describe('a simulated run, cut and continued anywhere, with late, lost, doubled and reordered facts', () => {
  const seen = new Set<string>()

  test.each(Array.from({ length: SEEDS / CHUNK }, (_, i) => i * CHUNK + 1))(
    'has one outcome for each item, runs nothing settled again, loses and doubles no result, keeps order, caps and sums, and ends with a reason (500 seeds from %d)',
    async (from) => {
      for (let seed = from; seed < from + CHUNK; seed++) {
        const done = await simulate(seed)
        for (const end of done.ends) seen.add(end)
        if (done.failure !== null) expect(tell(done)).toBeNull()
      }
    },
  )

  test.each([1, 1001])(
    'from the shell pays for no item twice, however the list changes between its resumptions (1000 seeds from %d)',
    async (from) => {
      for (let seed = from; seed < from + 1000; seed++) {
        const done = await simulateShell(seed)
        if (done.failure !== null) expect(tell(done)).toBeNull()
      }
    },
  )

  test('ends in every way that there is, but for malformed files and repeated events alone', () => {
    expect([...seen].sort()).toEqual(
      [
        'backend_unavailable',
        'cancelled',
        'completed',
        'consecutive_failures',
        'crash',
        'interrupted',
        'io_error',
        'max_agents',
        'max_cost',
        'max_iterations',
        'max_runtime',
        'max_tokens',
        'no_progress',
        'stopped',
        'workspace_gone',
      ].sort(),
    )
  })

  test('goes the same way each time that its seed is played', async () => {
    const play = async (): Promise<string[]> => {
      const lines: string[] = []
      await simulate(42, (line) => lines.push(line))
      return lines
    }
    const first = await play()
    expect(first.length).toBeGreaterThan(50)
    expect(await play()).toEqual(first)
  })
})
