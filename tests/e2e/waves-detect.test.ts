import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { agentRows, configure, F, FS, FW, hat, played, roleScript, rows, run } from './fixtures.ts'
import { cast, MEETING, merged, outcome, promptOf, promptsOf, theWave, told, waves } from './waves.ts'

const SCATTER = `"$RALPH_BIN" wave emit --event h1.go=a --event h2.go=b --event h3.go=c --event h4.go=d > /dev/null`

describe.concurrent('what becomes a wave', () => {
  test('three dispatched items are three workers, then one aggregator (case 105)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box)
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(played(box)[0]).toBe('disp')
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1', 'work:2'])
    expect(played(box)[4]).toBe('agg')
    expect(rows(box, 'iteration.summary')).toHaveLength(2)
  })

  test('a single plain event is an ordinary iteration, a dispatched item is a wave of one (case 106)', async () => {
    await using plain = sandbox()
    configure(plain, FW())
    roleScript(plain, { disp: 'EMIT item.go a', work: 'echo "[$RALPH_WAVE_WORKER]" > env; EMIT item.done r' })
    expect((await run(plain)).code).toBe(0)
    expect(played(plain)).toEqual(['disp', 'work', 'agg'])
    expect(plain.read('env')).toBe('[]\n')

    await using one = sandbox()
    configure(one, FW())
    roleScript(one, { disp: 'WAVE item.go a' })
    expect((await run(one)).code).toBe(0)
    expect(played(one)).toEqual(['disp', 'work:0', 'agg'])
    expect(promptOf(one, 'agg')).toContain('received 1/1')
  })

  test('items for one hat of concurrency 1 are one ordinary iteration with all payloads (case 107)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { concurrency: 1 } } }))
    roleScript(box, { work: 'EMIT item.done r' })
    expect((await run(box)).code).toBe(0)
    expect(played(box)).toEqual(['disp', 'work', 'agg'])
    for (const payload of ['a', 'b', 'c'])
      expect(promptOf(box, 'work')).toContain(`Event: item.go - ${payload}`)
  })

  test('one item each for four hats is four workers at the same time (case 108)', async () => {
    await using box = sandbox()
    configure(box, FS({ hats: { agg: { aggregate: { timeout: 10 } } } }))
    roleScript(box, { disp: SCATTER, ...everyHat(`${MEETING} MEET all 4; EMIT item.done "from $HAT"`) })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(told(done, 'wave_completed')).toMatchObject([{ succeeded: 4, failed: 0 }])
    expect(Number(told(done, 'wave_completed')[0]?.duration_ms)).toBeLessThan(4000)
    for (const [i, name] of ['h1', 'h2', 'h3', 'h4'].entries()) {
      expect(promptOf(box, 'agg')).toContain(`[${i}] item.done from ${name}`)
    }
  })

  test('two waves of one iteration run side by side, and the aggregator sees both (case 109)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { agg: { aggregate: { timeout: 10 } } } }))
    roleScript(box, {
      disp: 'WAVE item.go a b c; WAVE item.go d e f',
      work: `${MEETING} MEET "$RALPH_WAVE_ID" 3; DONE "$RALPH_WAVE_ID"
        until [ "$(ls "$NOTES" | grep -c ^done-)" = 2 ]; do sleep 0.02; done; EMIT item.done r`,
    })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(told(done, 'wave_completed')).toMatchObject([{ succeeded: 3 }, { succeeded: 3 }])
    expect(waves(box)).toHaveLength(2)
    expect(promptsOf(box, 'agg')).toHaveLength(1)
    for (const id of waves(box)) expect(promptOf(box, 'agg')).toContain(`Wave ${id}: received 3/3`)
  })

  test('two plain events for hats of one aggregator are a wave of their own accord (case 110)', async () => {
    await using box = sandbox()
    configure(box, FS())
    roleScript(box, { disp: 'EMIT h1.go a; EMIT h2.go b', ...everyHat('EMIT item.done r') })
    const done = await run(box, ['--json'])
    expect(cast(box)).toEqual(['agg', 'disp', 'h1:0', 'h2:1'])
    expect(told(done, 'wave_started')).toMatchObject([
      { inferred: true, hats: ['h1', 'h2'], wave_id: expect.stringMatching(/^w-[0-9a-f]+-\d+-\d+$/) },
    ])
  })

  test('one plain event is none, two for a parallel hat are one, two for an ordinary hat are none (case 110)', async () => {
    await using single = sandbox()
    configure(single, FS())
    roleScript(single, { disp: 'EMIT h1.go a', ...everyHat('EMIT item.done r') })
    await run(single)
    expect(played(single)).toEqual(['disp', 'h1', 'agg'])

    await using parallel = sandbox()
    configure(parallel, FW())
    roleScript(parallel, { disp: 'EMIT item.go a; EMIT item.go b' })
    await run(parallel)
    expect(cast(parallel)).toEqual(['agg', 'disp', 'work:0', 'work:1'])

    await using ordinary = sandbox()
    configure(ordinary, FW({ hats: { work: { concurrency: 1 } } }))
    roleScript(ordinary, { disp: 'EMIT item.go a; EMIT item.go b', work: 'EMIT item.done r' })
    await run(ordinary)
    expect(played(ordinary)).toEqual(['disp', 'work', 'agg'])
  })

  test('a dispatcher that only writes text dispatches by two event blocks (case 111)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: `SAY 'I split: <event topic="item.go">first</event> and <event topic="item.go">second</event>'`,
    })
    const done = await run(box, ['--json'])
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1'])
    expect(told(done, 'wave_started')).toMatchObject([{ inferred: true, worker_count: 2 }])
    expect(promptOf(box, 'work:1').endsWith('\n\nsecond')).toBe(true)
  })

  test('the largest total of a wave counts, with a warning, and what has no line is missing (case 112)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { disp: [3, 4, 3].map((total, i) => line('w-hand', i, total)).join('\n') })
    const done = await run(box)
    expect(done.code).toBe(0)
    expect(done.stderr).toMatch(/warning: wave w-hand: .*\b3\b.*\b4\b/)
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1', 'work:2'])
    expect(outcome(box, 3)).toMatchObject({ status: 'missing' })
    expect(promptOf(box, 'agg')).toContain('received 3/4')
    expect(promptOf(box, 'agg')).toContain('[3] FAILED in work — missing')
  })

  test('lines with an id and no total are a wave as long as they are many (case 112)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { disp: [0, 1, 2].map((i) => line('w-hand', i)).join('\n') })
    expect((await run(box)).code).toBe(0)
    expect(theWave(box)).toBe('w-hand')
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1', 'work:2'])
  })

  test.each([
    ['an id that is a path', [line('../x', 0, 1)], /its id/],
    ['an id of 129 characters', [line('w'.repeat(129), 0, 1)], /its id/],
    ['101 lines of one id', Array.from({ length: 101 }, (_, i) => line('w-many', i, 101)), /101.*100/],
  ])('%s runs nothing and is refused by name in the next prompt (case 113)', async (_, lines, why) => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { disp: lines.join('\n'), ralph: 'EMIT LOOP_COMPLETE none' })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'none\n' })
    expect(played(box)).toEqual(['disp', 'ralph'])
    expect(promptOf(box, 'ralph')).toMatch(new RegExp(`Event: wave\\.refused - .*${why.source}`))
    expect((await box.sh('find . -name "*wave-*" -o -name "x*"')).stdout).toBe('')
    expect((await box.sh('ls -A ..')).stdout.split('\n').sort()).toEqual(['', 'agent', 'home', 'work'])
  })

  test('a line that nobody takes is an ordinary event, one on a control topic is refused; the places of the others stay', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { disp: { publishes: ['*'] } } }))
    roleScript(box, {
      disp: `"$RALPH_BIN" wave emit --event item.go=a --event nobody.x=b --event LOOP_COMPLETE=c --event item.go=d > /dev/null`,
    })
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:3'])
    expect(promptOf(box, 'work:3')).toContain('worker 4 of 4')
    expect(done.stderr).toContain('✓ Worker 4/4 done')
    const text = promptOf(box, 'agg')
    expect(text).toContain('received 2/2')
    expect(text).toContain('Event: nobody.x - b')
    expect(text).toMatch(/Event: wave\.refused - .*control topic.*LOOP_COMPLETE\. Items: 1\./)
  })

  test('a hat that listens to everything does not take the items of a wave (case 114)', async () => {
    await using box = sandbox()
    const { hats } = FW() as { hats: Record<string, unknown> }
    const log = hat('log', { triggers: ['*'], publishes: ['logged'] })
    configure(box, F({ event_loop: { starting_event: 'work.start' }, hats: { log, ...hats } }))
    roleScript(box)
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1', 'work:2'])
  })

  test('results pass under enforce_hat_scope, and topics of items count as seen (case 116)', async () => {
    await using box = sandbox()
    configure(box, FW({ event_loop: { required_events: ['item.go'], enforce_hat_scope: true } }))
    roleScript(box)
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(promptOf(box, 'agg')).toContain('received 3/3')
    expect(merged(box, 'item.done')).toHaveLength(3)
  })

  test('what is dispatched after the end of the dispatcher’s agent runs at the next read (case 117)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: `${MEETING} { AWAIT coordinator; WAVE item.go a b c; DONE dispatch; } > /dev/null 2>&1 &
        EMIT nobody.listens x`,
      ralph: `${MEETING} DONE coordinator; AWAIT dispatch`,
    })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(played(box).slice(0, 2)).toEqual(['disp', 'ralph'])
    expect(promptOf(box, 'agg')).toContain('received 3/3')
  })

  test('an aggregator may dispatch again, each round a wave, until its activations are used up (case 118)', async () => {
    await using box = sandbox()
    const topics = ['h1.go', 'h2.go', 'h3.go', 'h4.go']
    configure(box, FS({ hats: { agg: { max_activations: 2, publishes: topics } } }))
    roleScript(box, {
      disp: SCATTER,
      agg: SCATTER,
      ...everyHat('EMIT item.done r'),
      ralph: 'EMIT LOOP_COMPLETE enough',
    })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(waves(box)).toHaveLength(3)
    expect(told(done, 'wave_completed').map(({ succeeded }) => succeeded)).toEqual([4, 4, 4])
    expect(promptsOf(box, 'agg')).toHaveLength(2)
    const exhausted = told(done, 'orchestration_event').filter(({ topic }) => topic === 'agg.exhausted')
    expect(exhausted).toHaveLength(1)
    expect(promptOf(box, 'ralph')).toContain('Event: agg.exhausted - ')
    expect(agentRows(box).filter(({ wave_total }) => wave_total === 4)).toHaveLength(12)
  })
})

const everyHat = (script: string): Record<string, string> =>
  Object.fromEntries(['h1', 'h2', 'h3', 'h4'].map((name) => [name, script]))

/** Bash that writes one dispatch line by hand. */
function line(wave_id: string, wave_index: number, wave_total?: number): string {
  const payload = `item ${wave_index}`
  return `LINE '${JSON.stringify({ topic: 'item.go', payload, wave_id, wave_index, wave_total })}'`
}
