import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Sandbox, type Started, sandbox, until } from '../helpers/sandbox.ts'
import {
  claudeScript,
  configure,
  FP,
  FW,
  hat,
  played,
  reason,
  roleScript,
  run,
  rundir,
  runId,
  starts,
} from './fixtures.ts'
import {
  carriers,
  isAlive,
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

/** The first worker is done, the second hangs after its result, the others hang, until `go` is there. */
const CUT = {
  disp: 'WAVE item.go a b c d',
  work: {
    0: 'EMIT item.done r0',
    1: `EMIT item.done r1; ${MEETING} DONE emitted; HANG`,
    else: `[ -e go ] || { ${MEETING} DONE "asleep-$RALPH_WAVE_INDEX"; HANG; }; EMIT item.done "r$RALPH_WAVE_INDEX"`,
  },
}

describe.concurrent('a wave that was cut', () => {
  test('by a signal goes on with its unfinished items alone (case 144)', async () => {
    await using box = sandbox()
    const going = await startCut(box)
    going.kill('SIGINT')
    expect((await going.finished).code).toBe(130)
    await expectFinish(box)
    expect(outcome(box, 1)).toMatchObject({ status: 'partial', reason: 'interrupted' })
  })

  test('by the death of ralph does so too, after an end to the workers that were left (case 145)', async () => {
    await using box = sandbox()
    const going = await startCut(box)
    const left = carriers(`RALPH_AGENT=${runId(box)}:`)
    expect(left.length).toBeGreaterThan(2)
    going.kill('SIGKILL')
    await going.finished
    expect(workerFiles(box).filter((name) => name.endsWith('.jsonl'))).toHaveLength(4)
    await expectFinish(box)
    expect(left.filter(isAlive)).toEqual([])
  })

  test('between its merge and the record of it leaves no line twice (case 145)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box)
    await run(box)
    const journal = rundir(box, 'journal.jsonl')
    const lines = box.read(journal).split('\n')
    const cut = lines.findIndex((line) => line.includes('"wave.merged"'))
    expect(cut).toBeGreaterThan(0)
    box.write(journal, `${lines.slice(0, cut).join('\n')}\n`)
    expect(await box.ralph(['run', '--continue'])).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(merged(box).map(({ payload }) => payload)).toEqual(['r0', 'r1', 'r2'])
    expect(promptsOf(box, 'agg')).toHaveLength(2)
    for (const text of promptsOf(box, 'agg')) expect(text).toContain('received 3/3')
  })

  test('is left alone by a fresh run, which says so, and is finished by its run’s name (case 145)', async () => {
    await using box = sandbox()
    const going = await startCut(box)
    going.kill('SIGINT')
    await going.finished
    const old = runId(box)
    const before = starts(box)
    roleScript(box, { ...CUT, disp: 'EMIT LOOP_COMPLETE fresh' })
    const fresh = await run(box)
    expect(fresh).toMatchObject({ code: 0, stdout: 'fresh\n' })
    expect(fresh.stderr).toMatch(new RegExp(`open wave.*--continue --loop-id ${old}`))
    expect(played(box).slice(before)).toEqual(['disp'])
    await expectFinish(box, ['--loop-id', old])
    expect(runId(box)).toBe(old)
  })

  test('by the stop file or the end of its time runs the rest (case 146)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      disp: 'WAVE item.go a b c d e',
      work: `${MEETING} DONE going; AWAIT stop; EMIT item.done "r$RALPH_WAVE_INDEX"`,
    })
    const going = box.start(['run', '-p', 'X'])
    await until('three workers', () => starts(box) === 4)
    expect((await box.ralph(['stop'])).code).toBe(0)
    await until('the wish to be taken', () => !box.exists('.ralph/stop-requested'))
    release(box, 'stop')
    expect((await going.finished).code).toBe(1)
    expect(reason(box)).toBe('stopped')
    expect(starts(box)).toBe(4)
    expect(await box.ralph(['run', '--continue'])).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(played(box).slice(4).sort()).toEqual(['agg', 'work:3', 'work:4'])
    expect(promptOf(box, 'agg')).toContain('received 5/5')
  })

  test('by a spent budget runs the rest once the budget is raised (case 137)', async () => {
    await using box = sandbox()
    const { hats, event_loop } = FW({ event_loop: { max_cost_usd: 1.2 } })
    configure(box, FP({ hats, event_loop }))
    claudeScript(box, { disp: 'WAVE item.go a b c d e f' })
    expect((await run(box)).code).toBe(2)
    const before = starts(box)
    expect((await box.ralph(['run', '--continue'])).code).toBe(2)
    expect(starts(box)).toBe(before)
    const done = await box.ralph(['run', '--continue', '-c', 'event_loop.max_cost_usd=20'])
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(
      played(box)
        .filter((name) => name.startsWith('work:'))
        .sort(),
    ).toEqual([0, 1, 2, 3, 4, 5].map((index) => `work:${index}`))
    expect(promptOf(box, 'agg')).toContain('received 6/6')
  })

  test('what is dispatched between two invocations runs as a wave (case 117)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { disp: 'EMIT nobody.listens x', ralph: ':' })
    expect((await run(box, ['--max-iterations', '1'])).code).toBe(2)
    expect((await box.ralph(['wave', 'emit', 'item.go', '--payloads', 'a', 'b', 'c'])).code).toBe(0)
    expect(await box.ralph(['run', '--continue'])).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(promptOf(box, 'agg')).toContain('received 3/3')
  })
})

describe.concurrent('chained waves', () => {
  test('results for a parallel hat are the next wave before any aggregator runs (case 115)', async () => {
    await using box = sandbox()
    const mid = hat('mid', { triggers: ['mid.go'], publishes: ['item.done'], concurrency: 2 })
    configure(box, FW({ hats: { work: { publishes: ['mid.go'] }, mid } }))
    roleScript(box, {
      work: { 1: 'exit 1', else: 'EMIT mid.go "half $RALPH_WAVE_INDEX"' },
      mid: `EMIT item.done "whole $RALPH_WAVE_INDEX of $(tail -n 1 "$PROMPT")"`,
    })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    const [first = '', second] = waves(box)
    expect(second).toBe(`${first}.2`)
    expect(
      played(box)
        .filter((name) => name.startsWith('mid:'))
        .sort(),
    ).toEqual(['mid:0', 'mid:2'])
    expect(promptsOf(box, 'agg')).toHaveLength(1)
    const text = promptOf(box, 'agg')
    expect(text).toContain(`Wave ${second}: received 2/3`)
    expect(text).toContain('whole 0 of half 0')
    expect(text).toContain('whole 2 of half 2')
    expect(text).toMatch(/\[1\] FAILED in work — failed/)
  })
})

/** Runs until the first two have given their results and the next two hang. */
async function startCut(box: Sandbox): Promise<Started> {
  configure(box, FW())
  roleScript(box, CUT)
  const going = box.start(['run', '-p', 'X'])
  await until(
    'one result, one event, three sleepers',
    () =>
      starts(box) === 5 &&
      ['emitted', 'asleep-2', 'asleep-3'].every((name) => said(box, name)) &&
      settled(box, 0),
  )
  return going
}

/** Goes on, and the wave ends with four results of which the first two were kept. */
async function expectFinish(box: Sandbox, more: readonly string[] = []): Promise<void> {
  const before = starts(box)
  box.write('go', '')
  const done = await box.ralph(['run', '--continue', ...more])
  expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
  expect(played(box).slice(before).sort()).toEqual(['agg', 'work:2', 'work:3'])
  expect(promptOf(box, 'agg')).toContain(`Wave ${theWave(box)}: received 4/4`)
  expect(merged(box).map(({ payload }) => payload)).toEqual(['r0', 'r1', 'r2', 'r3'])
  expect(carriers(`RALPH_AGENT=${runId(box)}:`)).toEqual([])
}

const said = (box: Sandbox, name: string): boolean =>
  existsSync(join(dirname(box.home), 'agent', `done-${name}`))
