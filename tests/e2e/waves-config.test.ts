import { describe, expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { type Config, claudeScript, configure, F, FW, played, roleScript, run, starts } from './fixtures.ts'
import { MEETING, promptOf } from './waves.ts'

const V2 = join(import.meta.dir, '../fixtures/collections/wave-review-v2.yml')

describe.concurrent('the keys of waves', () => {
  const work = (more: Config): Config => ({ hats: { work: more } })
  const agg = (aggregate: Config, more: Config = {}): Config => ({ hats: { agg: { aggregate, ...more } } })
  const AT_LEAST_1 = 'must be an integer of at least 1'

  test.each<[Config, string, string, string]>([
    [work({ concurrency: 0 }), 'concurrency', 'hats.work.concurrency', AT_LEAST_1],
    [work({ concurrency: -1 }), 'concurrency', 'hats.work.concurrency', AT_LEAST_1],
    [work({ concurrency: 1.5 }), 'concurrency', 'hats.work.concurrency', AT_LEAST_1],
    [work({ timeout: 0 }), 'timeout', 'hats.work.timeout', AT_LEAST_1],
    [work({ isolation: 'worktree' }), 'isolation', 'hats.work.isolation', 'not available yet'],
    [work({ retry: { on: ['luck'] } }), 'luck', 'hats.work.retry.on', 'rate_limit'],
    [agg({}, { concurrency: 2 }), 'aggregate', 'hats.agg.aggregate', 'concurrency'],
    [agg({ mode: 'first_n' }), 'mode', 'hats.agg.aggregate.mode', 'wait_for_all'],
    [agg({ timeout: 0 }), 'timeout', 'hats.agg.aggregate.timeout', AT_LEAST_1],
    [agg({ budget_bytes: 0 }), 'budget_bytes', 'hats.agg.aggregate.budget_bytes', AT_LEAST_1],
    [{ features: { strays: 'all' } }, 'strays', 'features.strays', 'keep'],
    [{ features: { max_concurrency: 0 } }, 'max_concurrency', 'features.max_concurrency', AT_LEAST_1],
  ])('%j is refused with its place, and nothing starts (case 152)', async (config, mark, path, words) => {
    await using box = sandbox()
    configure(box, FW(config))
    roleScript(box)
    const done = await run(box)
    expect(done).toMatchObject({ code: 1, stdout: '' })
    const lines = box.read('ralph.yml').split('\n')
    const line = lines.findIndex((text) => text.includes(`"${mark}"`)) + 1
    expect(done.stderr).toContain(`ralph.yml:${line}:`)
    expect(done.stderr).toContain(path)
    expect(done.stderr).toContain(words)
    expect(starts(box)).toBe(0)
  })

  test('without an aggregator downstream there is a warning, and the run goes on (case 152)', async () => {
    await using box = sandbox()
    const { hats, ...rest } = FW() as { hats: Record<string, Config> }
    const { agg: _, ...others } = hats
    configure(box, { ...rest, hats: others })
    roleScript(box, { ralph: 'EMIT LOOP_COMPLETE ok' })
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(done.stderr).toMatch(/warning: .*"work".*aggregate/)
    expect(promptOf(box, 'ralph')).toContain('received 3/3')
  })

  test('an aggregator without a timeout gives its workers 300 seconds (case 152)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box)
    const done = await run(box)
    expect(done.stderr).not.toContain('warning')
    expect(done.stderr).toContain('| 3 workers | timeout 300s ')
  })
})

describe.concurrent('the collection of v2.10', () => {
  const roles = {
    coordinator: 'WAVE review.perspective correctness speed documentation',
    reviewer: `${MEETING} MEET all 3; EMIT review.done "finding $RALPH_WAVE_INDEX"`,
    synthesizer: 'EMIT review.complete "the report"',
  }

  test('runs with -H beside the user’s own config (case 153)', async () => {
    await using box = sandbox()
    copyFileSync(V2, box.path('wave-review.yml'))
    configure(box, F())
    roleScript(box, roles)
    const done = await run(box, ['-H', 'wave-review.yml'])
    expect(done).toMatchObject({ code: 0, stdout: 'the report\n' })
    for (const key of ['core', 'max_iterations', 'max_runtime_seconds', 'prompt_file'])
      expect(done.stderr).toMatch(new RegExp(`warning: .*${key}`))
    expect(done.stderr).toMatch(/warning: .*reviewer\.timeout is 600.*synthesizer\.aggregate\.timeout.* 300/)
    expect(done.stderr).toContain('| 3 workers | timeout 600s ')
    expect(played(box).filter((name) => name === 'synthesizer')).toHaveLength(1)
    expectFindings(box)
  })

  test('runs with -c on the program that it leaves open (case 153)', async () => {
    await using box = sandbox()
    copyFileSync(V2, box.path('wave-review.yml'))
    claudeScript(box, roles, 'bin/claude')
    const bin = `${box.path('bin')}:${process.env.PATH}`
    const done = await run(box, ['-c', 'wave-review.yml'], { env: { PATH: bin } })
    expect(done).toMatchObject({ code: 0, stdout: 'the report\n' })
    expect(done.stderr).toMatch(/warning: .*reviewer\.timeout is 600.*synthesizer\.aggregate\.timeout.* 300/)
    expect(done.stderr).toContain('Iteration 1/20 ')
    expect(played(box).filter((name) => name === 'synthesizer')).toHaveLength(1)
    expectFindings(box)
  })
})

function expectFindings(box: Sandbox): void {
  for (const index of [0, 1, 2]) expect(promptOf(box, 'synthesizer')).toContain(`finding ${index}`)
}
