import { describe, expect, test } from 'bun:test'
import { sandbox, until } from '../helpers/sandbox.ts'
import {
  type Config,
  claudeScript,
  configure,
  FP,
  FW,
  played,
  reason,
  roleScript,
  rows,
  run,
  starts,
} from './fixtures.ts'
import { MEETING, merged, outcome, promptOf, promptsOf, theWave, told, waves, workerFiles } from './waves.ts'

describe.concurrent('the merge', () => {
  test('a failed worker has one line of its own and one on the topic of its results (case 132)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: { 2: 'exit 1', else: 'EMIT item.done r' } })
    await run(box)
    expect(rows(box, 'wave.worker.failed')).toMatchObject([
      { wave_index: 2, wave_status: 'failed', payload: expect.stringMatching(/^Worker 2 failed: failed/) },
    ])
    const [, , failed, ...others] = rows(box, 'item.done')
    expect(others).toEqual([])
    expect(failed).toMatchObject({
      wave_index: 2,
      wave_status: 'failed',
      wave_error: expect.stringMatching(/^failed/),
      payload: expect.stringMatching(/^## Worker 2 \(FAILED\)\n\nError: failed/),
    })
  })

  test('of several topics only the one that leads to an aggregator stands for a failure (case 132)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { publishes: ['item.blocked', 'item.done'] } } }))
    roleScript(box, { work: { 2: 'exit 1', else: 'EMIT item.done r' } })
    await run(box)
    expect(rows(box, 'item.blocked')).toEqual([])
    expect(rows(box, 'item.done').map(({ wave_status }) => wave_status)).toEqual(['ok', 'ok', 'failed'])
  })

  test('what stands for failures does not count as a required event (case 132)', async () => {
    await using box = sandbox()
    configure(box, FW({ event_loop: { required_events: ['item.done'] } }))
    roleScript(box, { work: 'exit 1', ralph: ':' })
    const done = await run(box, ['--max-iterations', '3'])
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(rows(box, 'item.done')).toHaveLength(3)
    expect(played(box).slice(4)).toEqual(['agg', 'ralph'])
    expect(promptOf(box, 'ralph')).toMatch(/<top-level-prompt>[^<]*item\.done/)
  })

  test('no failure is announced on the completion promise, and the aggregator still runs (case 133)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { publishes: ['LOOP_COMPLETE', 'item.done'] } } }))
    roleScript(box, { work: 'exit 1' })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(merged(box, 'LOOP_COMPLETE')).toEqual([])
    expect(promptsOf(box, 'agg')).toHaveLength(1)
  })
})

/** More items than a wave has by default. */
const many = (items: number): Config =>
  FW({
    features: { max_wave_items: items, max_agents: 2 * items, max_concurrency: 32 },
    hats: { work: { concurrency: 32 } },
  })
const dispatch = (items: number): string =>
  `seq ${items} | "$RALPH_BIN" wave emit item.go --stdin > /dev/null`

describe.concurrent('the files of workers', () => {
  test('are gone before an aggregator begins', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { agg: 'ls .ralph | grep ^wave- > left; EMIT LOOP_COMPLETE ok' })
    expect((await run(box)).code).toBe(0)
    expect(box.read('left')).toBe('')
  })

  test('go while the aggregator of a large wave is at work already', async () => {
    await using box = sandbox()
    configure(box, many(120))
    roleScript(box, {
      disp: dispatch(120),
      agg: 'while ls .ralph | grep -q ^wave-; do sleep 0.02; done; EMIT LOOP_COMPLETE ok',
    })
    expect((await run(box)).code).toBe(0)
    expect(merged(box)).toHaveLength(120)
    expect(workerFiles(box)).toEqual([])
  })

  test('that a killed run has not removed go when it is continued; those of other runs stay', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { agg: ['HANG', 'EMIT LOOP_COMPLETE ok'] })
    const first = box.start(['run', '-p', 'X'])
    await until('the aggregator', () => box.exists('.ralph/current-loop-id') && played(box).includes('agg'))
    first.kill('SIGKILL')
    await first.finished
    expect(workerFiles(box)).toEqual([])
    const file = `.ralph/wave-${theWave(box)}-0.jsonl`
    box.write(file, '')
    box.write(file.replace('jsonl', 'rules.json'), '{}')
    box.write('.ralph/wave-w-other-0.jsonl', '')
    expect((await box.ralph(['run', '--continue'])).code).toBe(0)
    expect(workerFiles(box)).toEqual(['wave-w-other-0.jsonl'])
  })
})

describe.concurrent('the aggregator', () => {
  test('sees the results in index order, word for word, whatever finished first (case 134)', async () => {
    await using box = sandbox()
    configure(box, FW())
    const report = '# A `report`\n\n```sh\necho "$(date)"\n```\n\nEvent: item.done - not one\n````\nend'
    box.write('report.md', report)
    roleScript(box, {
      work: {
        0: `${MEETING} AWAIT 1; EMIT item.done --payload-file report.md`,
        1: `${MEETING} AWAIT 2; EMIT item.done r1; DONE 1`,
        2: `${MEETING} EMIT item.done r2; DONE 2`,
      },
    })
    await run(box)
    const text = promptOf(box, 'agg')
    expect(text).toContain(`Wave ${theWave(box)}: received 3/3, completed: all`)
    const places = [0, 1, 2].map((index) => text.indexOf(`[${index}] item.done from work`))
    expect(places).not.toContain(-1)
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(text).toContain(report)
  })

  test('sees each failure once, with status, reason, time and item, under an honest count (case 134)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: 'WAVE item.go a "the second item" c',
      work: { 1: 'echo boom >&2; exit 7', else: 'EMIT item.done r' },
    })
    await run(box)
    const text = promptOf(box, 'agg')
    expect(text).toContain('received 2/3, completed: all')
    expect(text.match(/\[1\] FAILED in work — failed, \d+\.\d s/g)).toHaveLength(1)
    expect(text.match(/exit code 7/g)).toHaveLength(1)
    expect(text.match(/the second item/g)).toHaveLength(1)
  })

  test.each([
    ['fail', 'exit 1'],
    ['say nothing', ':'],
  ])('runs once with nothing received when all workers %s (case 135)', async (_, work) => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(promptsOf(box, 'agg')).toHaveLength(1)
    expect(promptOf(box, 'agg')).toContain('received 0/3')
  })
})

describe.concurrent('the accounts', () => {
  test('with fewer activations than items the first run, later waves run none, the aggregator each time (case 136)', async () => {
    await using box = sandbox()
    configure(
      box,
      FW({ hats: { work: { max_activations: 3 }, agg: { publishes: ['item.go', 'LOOP_COMPLETE'] } } }),
    )
    roleScript(box, {
      disp: 'WAVE item.go a b c d e',
      agg: ['WAVE item.go x y', 'EMIT LOOP_COMPLETE ok'],
    })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    const [first = '', second = ''] = waves(box)
    expect([0, 1, 2, 3, 4].map((index) => outcome(box, index, first).status)).toEqual([
      'ok',
      'ok',
      'ok',
      'exhausted',
      'exhausted',
    ])
    expect([0, 1].map((index) => outcome(box, index, second).status)).toEqual(['exhausted', 'exhausted'])
    expect(played(box).filter((name) => name.startsWith('work:'))).toHaveLength(3)
    const [one, two] = promptsOf(box, 'agg')
    expect(one).toContain('received 3/5')
    expect(two).toContain('received 0/2')
    const exhausted = told(done, 'orchestration_event').filter(({ topic }) => topic === 'work.exhausted')
    expect(exhausted).toHaveLength(1)
  })

  test('cost of workers counts for the budget: no further one starts, and nothing is merged (case 137)', async () => {
    await using box = sandbox()
    const { hats, event_loop } = FW({ event_loop: { max_cost_usd: 1.2 } })
    configure(box, FP({ hats, event_loop }))
    claudeScript(box, { disp: 'WAVE item.go a b c d e f' })
    const done = await run(box)
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(reason(box)).toBe('max_cost')
    // Three begin at 0.5; the first to end may let in one more at 1.0.
    expect(starts(box)).toBeWithin(4, 6)
    expect(merged(box)).toEqual([])
    expect(done.stderr).toContain(`wave ${theWave(box)} is open`)
  })

  test('equal results of wave after wave are no standstill, failed workers are no failed iterations (case 138)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { agg: { publishes: ['item.go', 'LOOP_COMPLETE'] } } }))
    const again = 'WAVE item.go x x x'
    roleScript(box, {
      disp: again,
      work: 'EMIT item.done same',
      agg: [again, again, 'EMIT LOOP_COMPLETE ok'],
    })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(waves(box)).toHaveLength(3)

    await using failing = sandbox()
    configure(failing, FW())
    roleScript(failing, { disp: 'WAVE item.go a b c d e', work: 'exit 1' })
    expect(await run(failing)).toMatchObject({ code: 0, stdout: 'ok\n' })
  })
})
