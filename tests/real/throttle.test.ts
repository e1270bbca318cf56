import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { processesOf } from './left-over.ts'
import { startModelServer } from './model-server.ts'
import { claude } from './programs/claude.ts'
import { settle } from './programs/index.ts'

const ITEMS = Array.from({ length: 12 }, (_, i) => `item-${i + 100}`)
/** What the provider bears at once. */
const MOST = 2

await eachProgram([claude], (program) => {
  test('twelve against a provider that bears two at a time all have their results, without hammering it', async () => {
    await using box = sandbox()
    const came: number[] = []
    let serving = 0
    let refused = 0
    await using server = startModelServer(async ({ prompt }) => {
      came.push(performance.now())
      if (serving >= MOST) {
        refused += 1
        return { status: 429, errorType: 'rate_limit_error' }
      }
      serving += 1
      await Bun.sleep(500)
      serving -= 1
      return { text: `done with ${ITEMS.find((item) => prompt.includes(item))}` }
    })
    const env = await settle(program, box, server)
    box.write('ralph.yml', 'features: { retry: { attempts: 6, backoff_seconds: 1 } }\n')

    const run = await box.ralph(
      ['wave', 'run', '-j', `${ITEMS.length}`, '-b', program.name, '--model', program.model],
      { env, stdin: `${ITEMS.join('\n')}\n` },
    )

    const { count, most, seconds } = ratesOf(came)
    const rate = (count / seconds).toFixed(1)
    const figures = `${count} requests in ${seconds.toFixed(1)} s: ${rate} a second, at most ${most} within one; ${refused} refused`
    process.stderr.write(`${program.name}, 12 items, ${MOST} served at a time: ${figures}\n`)
    expect(run.stderr).toContain('12 succeeded, 0 failed')
    expect(run).toMatchObject({ code: 0, stdout: ITEMS.map((item) => `done with ${item}\n`).join('') })
    expect(refused).toBeGreaterThan(0)
    // Each item is served once. Even if all of them came at once, that would be a few more refusals than items.
    expect(count - refused).toBe(ITEMS.length)
    expect(refused).toBeLessThan(5 * ITEMS.length)
    expect(most).toBeLessThanOrEqual(2 * ITEMS.length)
    expect(processesOf(box)).toEqual([])
  }, 150_000)
})

/** How many requests there were, the most within one second, and the time from the first to the last. */
function ratesOf(times: readonly number[]): { count: number; most: number; seconds: number } {
  const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length))
  return { count: times.length, most, seconds: ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000 }
}
