import { describe, expect, test } from 'bun:test'
import { type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import { configure, FW, hat, main, played, reason, roleScript, rows, run, runId, starts } from './fixtures.ts'
import {
  carriers,
  cast,
  MEETING,
  merged,
  outcome,
  promptOf,
  promptsOf,
  release,
  settled,
  theWave,
  waves,
  workerFiles,
} from './waves.ts'

const CANCELLABLE = { event_loop: { cancellation_promise: 'loop.cancel' } }
const FORBIDDEN = ['LOOP_COMPLETE', 'loop.cancel', 'human.guidance', 'zzz']

describe.concurrent('guardrails', () => {
  test('ralph emit refuses a worker what its hat may not say, and the worker can correct itself (case 139)', async () => {
    await using box = sandbox()
    configure(box, FW(CANCELLABLE))
    roleScript(box, {
      work: {
        1: `for topic in ${FORBIDDEN.join(' ')}; do EMIT $topic x 2>> refusals; echo "$topic $?" >> codes; done
          cp "$RALPH_EVENTS_FILE" worker.jsonl
          EMIT item.done r1`,
        else: 'EMIT item.done r',
      },
    })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(box.read('codes')).toBe(FORBIDDEN.map((topic) => `${topic} 1\n`).join(''))
    expect(box.read('refusals').match(/item\.done/g)).toHaveLength(4)
    expect(box.rows('worker.jsonl')).toMatchObject(
      FORBIDDEN.map((topic) => ({
        topic: 'wave.topic_refused',
        payload: topic,
        wave_id: theWave(box),
        wave_index: 1,
      })),
    )
    expectRefusedAll(box)
  })

  test('what a worker writes by hand is held to the same rules (case 139)', async () => {
    await using box = sandbox()
    configure(box, FW(CANCELLABLE))
    const lines = FORBIDDEN.map((topic) => `LINE '{"topic":"${topic}","payload":"x"}'`).join('\n')
    roleScript(box, { work: { 1: `${lines}\nEMIT item.done r1`, else: 'EMIT item.done r' } })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expectRefusedAll(box)
  })

  test('after refused events a final message is not taken for a result (case 139)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: { 1: 'EMIT zzz x; SAY "some text"', else: 'EMIT item.done r' } })
    expect((await run(box)).code).toBe(0)
    expect(outcome(box, 1)).toMatchObject({
      status: 'scope_violation',
      remarks: [expect.stringContaining('zzz')],
    })
    expect(promptOf(box, 'agg')).toContain('received 2/3')
  })

  test('items on topics that the dispatcher does not publish do not run, the others do (case 140)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { disp: TWO_TOPICS })
    const done = await run(box)
    expect(done.code).toBe(0)
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:2'])
    expect(promptOf(box, 'agg')).toMatch(/Event: disp\.scope_violation - .*other\.go.*item\.go/)
    expect(promptOf(box, 'agg')).toContain('[1] FAILED in no hat — scope_violation')
    expect(done.stderr).not.toContain('aggregate.timeout')
    expect(promptOf(box, 'agg')).toContain('received 2/3')
  })

  test('the coordinator may dispatch on any topic (case 140)', async () => {
    await using box = sandbox()
    const other = hat('other', { triggers: ['other.go'], publishes: ['item.done'] })
    configure(box, FW({ event_loop: { starting_event: 'task.start' }, hats: { other } }))
    roleScript(box, { ralph: TWO_TOPICS, other: 'EMIT item.done r' })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(cast(box)).toEqual(['agg', 'other:1', 'ralph', 'work:0', 'work:2'])
    expect(promptOf(box, 'agg')).not.toContain('scope_violation')
  })

  test('a worker cannot dispatch a wave, may go on, and its outcome tells (case 141)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: { 1: 'WAVE item.go x 2> refusal; echo $? > code; EMIT item.done r', else: 'EMIT item.done r' },
    })
    expect((await run(box)).code).toBe(0)
    expect(box.read('code')).toBe('1\n')
    expect(box.read('refusal')).toContain('ralph emit')
    expect(outcome(box, 1)).toMatchObject({
      status: 'ok',
      remarks: [expect.stringMatching(/refused a wave/)],
    })
    expect(waves(box)).toHaveLength(1)
    expect(starts(box)).toBe(5)
  })

  test('a run that a worker starts elsewhere is a run of its own, one level deeper (case 142)', async () => {
    await using box = sandbox()
    await using inner = sandbox()
    configure(box, FW())
    configure(inner, FW())
    const note = (name: string): string => `env | grep ^RALPH_ > '${inner.dir}/env-${name}'`
    roleScript(inner, {
      disp: `${note('disp')}; WAVE item.go a b`,
      work: `${note('work')}; EMIT item.done r`,
      agg: 'EMIT LOOP_COMPLETE inner',
    })
    roleScript(box, {
      work: {
        1: `(cd '${inner.dir}' && "$RALPH_BIN" run -q -p Y < /dev/null > result 2> log); EMIT item.done r`,
        else: 'EMIT item.done r',
      },
    })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(inner.read('result')).toBe('inner\n')
    expect(inner.read('env-disp')).not.toContain('RALPH_WAVE')
    expect(inner.read('env-disp')).toContain('RALPH_DEPTH=2\n')
    expect(inner.read('env-disp')).toContain(`RALPH_RUN_ID=${runId(inner)}\n`)
    expect(inner.read('env-work')).toContain(`RALPH_WAVE_ID=${theWave(inner)}\n`)
    expect(cast(inner)).toEqual(['agg', 'disp', 'work:0', 'work:1'])
    expect(rows(inner, 'LOOP_COMPLETE')).toHaveLength(1)
    expect(rows(inner, 'LOOP_COMPLETE')[0]).not.toHaveProperty('wave_id')
    expect(waves(box)).toHaveLength(1)
    expect(box.read(main(box))).not.toContain('inner')
  })

  test.each([
    ['after', 'WAVE item.go a b c; EMIT LOOP_COMPLETE'],
    ['before', 'EMIT LOOP_COMPLETE; WAVE item.go a b c'],
  ])('a completion asked for %s the dispatch waits for the results (case 143)', async (_, disp) => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { disp, agg: 'SAY hi' })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'hi\n' })
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1', 'work:2'])
    expect(reason(box)).toBe('completed')
  })

  test('a cancellation beside the dispatch lets no worker start (case 143)', async () => {
    await using box = sandbox()
    configure(box, FW(CANCELLABLE))
    roleScript(box, { disp: 'WAVE item.go a b c; EMIT loop.cancel' })
    expect(await run(box)).toMatchObject({ code: 0, stdout: '' })
    expect(played(box)).toEqual(['disp'])
    expect(reason(box)).toBe('cancelled')
  })
})

describe.concurrent('an interruption', () => {
  test('ends the workers at once and keeps what there is, unmerged (case 144)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: 'WAVE item.go a b c d',
      work: { 0: 'EMIT item.done r0', 1: 'EMIT item.done r1; touch emitted; HANG', else: 'HANG' },
    })
    const going = box.start(['run', '-p', 'X'])
    await until(
      'three sleepers and one result',
      () => starts(box) === 5 && box.exists('emitted') && settled(box, 0),
    )
    const began = performance.now()
    going.kill('SIGINT')
    const done = await going.finished
    expect(performance.now() - began).toBeLessThan(2250)
    expect(done).toMatchObject({ code: 130, stdout: '' })
    expect(carriers(`RALPH_AGENT=${runId(box)}:`)).toEqual([])
    expect(workerFiles(box).filter((name) => name.endsWith('.jsonl'))).toHaveLength(4)
    expect(merged(box)).toEqual([])
    expect(reason(box)).toBe('interrupted')
    expect(done.stderr).toContain(`wave ${theWave(box)} is open, 1 of 4 results settled`)
  })

  test('by SIGTERM is the same with another code (case 144)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: 'HANG' })
    const going = box.start(['run', '-p', 'X'])
    await until('three sleepers', () => starts(box) === 4)
    going.kill('SIGTERM')
    expect(await going.finished).toMatchObject({ code: 143, stdout: '' })
    expect(carriers(`RALPH_AGENT=${runId(box)}:`)).toEqual([])
  })

  test('by the stop file lets running workers finish and starts none of the others (case 146)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: 'WAVE item.go a b c d e',
      work: `${MEETING} MEET all 3; AWAIT stop; EMIT item.done r`,
    })
    const going = box.start(['run', '-p', 'X'])
    await until('three workers', () => starts(box) === 4)
    box.write('.ralph/stop-requested', '')
    await until('the stop file to be taken', () => !box.exists('.ralph/stop-requested'))
    release(box, 'stop')
    const done = await going.finished
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(reason(box)).toBe('stopped')
    expect(played(box).sort()).toEqual(['disp', 'work:0', 'work:1', 'work:2'])
    for (const index of [0, 1, 2]) expect(outcome(box, index)).toMatchObject({ status: 'ok' })
    for (const index of [3, 4]) expect(settled(box, index)).toBe(false)
    expect(merged(box)).toEqual([])
  })

  test('by the end of the run’s time does the same, and --continue runs the rest (case 146)', async () => {
    await using box = sandbox()
    configure(box, FW({ event_loop: { max_runtime_seconds: 3 } }))
    roleScript(box, { disp: 'WAVE item.go a b c d e', work: '[ -e go ] || sleep 3.5; EMIT item.done r' })
    expect(await run(box)).toMatchObject({ code: 2, stdout: '' })
    expect(reason(box)).toBe('max_runtime')
    expect(played(box).sort()).toEqual(['disp', 'work:0', 'work:1', 'work:2'])
    for (const index of [0, 1, 2]) expect(outcome(box, index)).toMatchObject({ status: 'ok' })
    expect(merged(box)).toEqual([])

    box.write('go', '')
    const more = await box.ralph(['run', '--continue', '-c', 'event_loop.max_runtime_seconds=60'])
    expect(more).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(played(box).slice(4).sort()).toEqual(['agg', 'work:3', 'work:4'])
  })
})

const TWO_TOPICS = `"$RALPH_BIN" wave emit --event item.go=a --event other.go=b --event item.go=c > /dev/null`

function expectRefusedAll(box: Sandbox): void {
  expect(outcome(box, 1)).toMatchObject({ status: 'ok' })
  for (const topic of FORBIDDEN) expect(outcome(box, 1).remarks.join()).toContain(topic)
  expect(merged(box).map(({ topic, payload }) => `${topic} ${payload}`)).toEqual([
    'item.done r',
    'item.done r1',
    'item.done r',
  ])
  expect(reason(box)).toBe('completed')
  expect(promptsOf(box, 'agg')).toHaveLength(1)
}
