import { describe, expect, test } from 'bun:test'
import { type Sandbox, type Started, sandbox, until } from '../helpers/sandbox.ts'
import {
  agentScript,
  claudeScript,
  configure,
  F,
  FP,
  FW,
  hat,
  prompt,
  reason,
  roleScript,
  run,
  runId,
  starts,
} from './fixtures.ts'
import { isAlive, MEETING, release, settled, theWave, waves } from './waves.ts'

/** A wave of which worker 0 is done, and the others wait for the word `go`. */
const waits = { 0: 'EMIT item.done r0', else: `${MEETING} AWAIT go; EMIT item.done "r$RALPH_WAVE_INDEX"` }

/** Starts a run and waits until worker 0 of its wave is settled. */
async function startWave(box: Sandbox): Promise<Started> {
  const going = box.start(['run', '-p', 'X'])
  await until('worker 0', () => {
    const isOpen = box.exists('.ralph/current-loop-id') && waves(box).length === 1
    return isOpen && settled(box, 0)
  })
  return going
}

const started = (box: Sandbox, count: number): Promise<unknown> =>
  until(`start ${count}`, () => starts(box) >= count)

describe.concurrent('a run that is finished', () => {
  test.each([
    ['completed', 'SAY LOOP_COMPLETE'],
    ['cancelled', 'EMIT loop.cancel'],
  ])(
    '%s: --continue says so; with another objective it goes on under the same id (case 184)',
    async (end, agent) => {
      await using box = sandbox()
      configure(box, F({ event_loop: { cancellation_promise: 'loop.cancel' } }))
      agentScript(box, [agent, 'SAY LOOP_COMPLETE'])
      expect((await run(box)).code).toBe(0)
      expect(reason(box)).toBe(end)
      const id = runId(box)
      const again = await box.ralph(['run', '--continue'])
      expect([again.code, again.stdout, starts(box)]).toEqual([1, '', 1])
      expect(again.stderr).toMatch(/finished/)
      expect((await box.ralph(['run', '--continue', '-p', 'Another aim'])).code).toBe(0)
      expect([runId(box), starts(box)]).toEqual([id, 2])
      expect(prompt(box, 2)).toContain('Another aim')
    },
  )
})

describe.concurrent('ralph status', () => {
  test('tells of the run in progress from another shell, and afterwards how it ended (case 185)', async () => {
    await using box = sandbox()
    configure(box, FP({ event_loop: { starting_event: 'work.start' }, hats: WAVE_HATS }))
    claudeScript(box, { work: waits })
    const going = await startWave(box)
    const during = await box.ralph(['status', '--json'])
    expect(JSON.parse(during.stdout)).toMatchObject({
      run_id: runId(box),
      state: 'running',
      pid: going.pid,
      iteration: 1,
      hats: ['disp'],
      waves: [{ wave_id: theWave(box), total: 3, settled: 1, running: 2, waiting: 0 }],
      elapsed_ms: expect.any(Number),
      cost_usd: 1,
      input_tokens: 20,
      stop_reason: null,
    })
    expect((await box.ralph(['status'])).stdout).toMatch(/1 of 3 settled/)
    release(box, 'go')
    expect((await going.finished).code).toBe(0)
    expect(JSON.parse((await box.ralph(['status', '--format', 'json'])).stdout)).toMatchObject({
      state: 'ended',
      pid: null,
      iteration: 2,
      waves: [],
      cost_usd: 2.5,
      stop_reason: 'completed',
    })
  })

  test('of a run that was cut says what to do with its open wave (case 185)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: waits })
    const going = await startWave(box)
    going.kill('SIGINT')
    await going.finished
    const { stdout } = await box.ralph(['status'])
    expect(stdout).toMatch(/1 of 3 settled, open \(`ralph run --continue` finishes it\)/)
  })

  test('without any run is an error (case 185)', async () => {
    await using box = sandbox()
    const done = await box.ralph(['status'])
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toContain('no earlier run')
    expect(box.exists('.ralph')).toBe(false)
  })
})

describe.concurrent('ralph stop', () => {
  test('lets the agent that runs come to its end (case 186)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'until [ -e over ]; do sleep 0.02; done; echo yes > ended; EMIT x 1')
    const going = box.start(['run', '-p', 'X'])
    await started(box, 1)
    expect((await box.ralph(['stop'])).code).toBe(0)
    box.write('over', '')
    expect((await going.finished).code).toBe(1)
    expect([reason(box), starts(box), box.read('ended')]).toEqual(['stopped', 1, 'yes\n'])
  })

  test('--now ends it within two seconds (case 186)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'echo $$ > pid; HANG')
    const going = box.start(['run', '-p', 'X'])
    const pid = await until('the agent', () => box.exists('pid') && Number(box.read('pid')))
    const began = performance.now()
    expect((await box.ralph(['stop', '--now'])).code).toBe(0)
    expect((await going.finished).code).toBe(1)
    expect(performance.now() - began).toBeLessThan(2000)
    expect([reason(box), isAlive(pid)]).toEqual(['stopped', false])
  })

  test('without a run is an error, and leaves nothing behind that would stop the next (case 186)', async () => {
    await using box = sandbox()
    const done = await box.ralph(['stop'])
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(box.exists('.ralph/stop-requested')).toBe(false)
  })
})

describe.concurrent('ralph wave results', () => {
  test('prints what is settled of a wave that was cut, and the closing line says how (case 194)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: waits })
    const going = await startWave(box)
    going.kill('SIGINT')
    const cut = await going.finished
    expect(cut.code).toBe(130)
    const id = theWave(box)
    const closing = cut.stderr.slice(cut.stderr.lastIndexOf('── '))
    for (const word of ['1', 'ralph run --continue', `ralph wave results ${id}`])
      expect(closing).toContain(word)
    const text = await box.ralph(['wave', 'results', id])
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toMatch(/^.*\[0\] item\.done from work.*\nr0\n$/)
    const json = await box.ralph(['wave', 'results', id, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject([
      {
        index: 0,
        hat: 'work',
        status: 'ok',
        reason: null,
        events: [{ topic: 'item.done', payload: 'r0' }],
        attempts: 1,
        cost_usd: null,
        cost_source: null,
        input_tokens: null,
        output_tokens: null,
      },
    ])
    expect((await box.ralph(['wave', 'results', id, '--format', 'json'])).stdout).toBe(json.stdout)

    // The wave of an older run is found as well.
    agentScript(box, 'SAY LOOP_COMPLETE', 'other.sh')
    await run(box, ['-c', 'cli.command=./other.sh', '-c', 'event_loop.starting_event=task.start'])
    expect((await box.ralph(['wave', 'results', id])).stdout).toBe(text.stdout)
  })

  test('finds the wave of a `wave run`, and knows no others (case 194)', async () => {
    await using box = sandbox()
    const ran = await box.ralph(
      ['wave', 'run', '-b', 'custom', '-c', 'cli.command=echo', '-c', 'cli.args=[it]'],
      { stdin: 'a\nb\n' },
    )
    const id = /Wave (\S+):/.exec(ran.stderr)?.[1] ?? ''
    const items = JSON.parse((await box.ralph(['wave', 'results', id, '--json'])).stdout)
    expect(items).toMatchObject([
      { index: 0, events: [{ payload: 'it a' }] },
      { index: 1, events: [{ payload: 'it b' }] },
    ])
    const unknown = await box.ralph(['wave', 'results', 'w-1-2-3'])
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toContain('w-1-2-3')
  })
})

const WAVE_HATS = {
  disp: hat('disp', { triggers: ['work.start'], publishes: ['item.go'] }),
  work: hat('work', { triggers: ['item.go'], publishes: ['item.done'], concurrency: 3 }),
  agg: hat('agg', {
    triggers: ['item.done'],
    publishes: ['LOOP_COMPLETE'],
    aggregate: { mode: 'wait_for_all' },
  }),
}

describe.concurrent('--json', () => {
  test.each([[['hats', 'list']], [['presets']], [['plugins']]])(
    'of `%p` gives what --format json gives (case 187)',
    async (args) => {
      await using box = sandbox()
      box.write('presets/flow.yml', 'description: mine\nhats: {a: {name: A, triggers: [x.go]}}\n')
      const format = await box.ralph([...args, '--format', 'json'])
      const json = await box.ralph([...args, '--json'])
      expect(json.code).toBe(0)
      expect(json.stdout).toBe(format.stdout)
      expect(JSON.parse(json.stdout)).toBeArray()
    },
  )
})
