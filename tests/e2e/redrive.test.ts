import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Finished, type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
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
  runEvents,
  starts,
} from './fixtures.ts'
import { merged, outcome, promptsOf, waves } from './waves.ts'

/** Four items: the second and the last fail until there is a file `go`. */
const HALF = {
  disp: 'WAVE item.go a b c d',
  work: {
    1: '[ -e go ] || exit 3; EMIT item.done r1',
    3: '[ -e go ] || exit 3; EMIT item.done r3',
    else: 'EMIT item.done "r$RALPH_WAVE_INDEX"',
  },
}

describe.concurrent('ralph wave redrive of a wave of a loop', () => {
  test('runs what failed, and the aggregator of the completed run gets the whole', async () => {
    await using box = sandbox()
    const wave = await half(box)
    box.write('go', '')
    const { done, what } = await redrive(box, [wave])
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(done.stderr).toContain('WAVE: work | 4 workers, 2 reused')
    expect(done.stderr).toMatch(/✓ Worker 1\/4 done \(\S+\) \[reused\] — a/)
    expect(what).toEqual(['agg', 'work:1', 'work:3'])
    const again = newest(box)
    const [, text = ''] = promptsOf(box, 'agg')
    expect(text).toContain(`Wave ${again}: received 4/4, completed: all`)
    for (const index of [0, 1, 2, 3])
      expect(text).toMatch(new RegExp(`\\[${index}\\] item\\.done from work — ok`))
    expect(
      merged(box, 'item.done')
        .filter((row) => row.wave_id === again)
        .map(({ payload }) => payload),
    ).toEqual(['r0', 'r1', 'r2', 'r3'])
    expect(outcome(box, 0, again)).toMatchObject({ status: 'ok', reused: { wave_id: wave, index: 0 } })
    expect(reason(box)).toBe('completed')
    const results = await box.ralph(['wave', 'results', again, '--json'])
    expect((JSON.parse(results.stdout) as { status: string }[]).map(({ status }) => status)).toEqual(
      Array(4).fill('ok'),
    )
  })

  test('with --only runs what is named and keeps every other outcome, failures too', async () => {
    await using box = sandbox()
    const wave = await half(box)
    box.write('go', '')
    const { done, what } = await redrive(box, [wave, '--only', '0,2-3'])
    expect(done.code).toBe(0)
    expect(what).toEqual(['agg', 'work:0', 'work:2', 'work:3'])
    const [, text = ''] = promptsOf(box, 'agg')
    expect(text).toContain('received 3/4')
    expect(text).toMatch(/\[1\] FAILED in work — failed/)
  })

  test('with --failed leaves alone what would ask something else by now; without it, that runs too', async () => {
    await using box = sandbox()
    const wave = await half(box)
    box.write('go', '')
    configure(box, FW({ hats: { work: { instructions: 'You are hat work.\nBe strict.' } } }))
    expect((await redrive(box, [wave, '--failed'])).what).toEqual(['agg', 'work:1', 'work:3'])
    const { done, what } = await redrive(box, [newest(box)])
    expect(what).toEqual(['agg', 'work:0', 'work:2'])
    expect(done.stderr).toContain('warning: items 0, 2 run again, with a result that is there')
  })

  test('says so and starts nothing where nothing is to run again', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box)
    await run(box)
    const before = box.read(rundir(box, 'journal.jsonl'))
    const { done, what } = await redrive(box, [newest(box)])
    expect(done).toMatchObject({ code: 0, stdout: '' })
    expect(done.stderr).toContain('nothing is to run again')
    expect(what).toEqual([])
    expect(box.read(rundir(box, 'journal.jsonl'))).toBe(before)
  })

  test('tells of itself in the run events, and counts what was paid before once', async () => {
    await using box = sandbox()
    const { hats, event_loop } = FW()
    configure(box, FP({ hats, event_loop }))
    claudeScript(box, HALF)
    await run(box)
    box.write('go', '')
    const wave = newest(box)
    const { done } = await redrive(box, [wave, '--json'])
    const events = runEvents(done)
    const ofType = (type: string) => events.filter((event) => event.type === type)
    expect(ofType('wave_started')).toMatchObject([{ worker_count: 4, reused: 2, redrive_of: wave }])
    const reused = ofType('wave_worker_done').filter((event) => event.reused !== undefined)
    expect(reused.map(({ index, cost_usd }) => [index, cost_usd])).toEqual([
      [0, 0.5],
      [2, 0.5],
    ])
    expect(ofType('loop_terminated')).toMatchObject([
      { reason: 'completed', total_cost_usd: starts(box) * 0.5 },
    ])
  })

  test('holds the budget: the wave stays open until it is raised, and is then finished without paying twice', async () => {
    await using box = sandbox()
    const { hats, event_loop } = FW({ event_loop: { max_cost_usd: 3 } })
    configure(box, FP({ hats, event_loop }))
    claudeScript(box, HALF)
    await run(box)
    expect(starts(box)).toBe(6)
    box.write('go', '')
    const spent = await redrive(box, [newest(box)])
    expect(spent.done.code).toBe(2)
    expect(spent.what).toEqual([])
    expect(spent.done.stderr).toMatch(/max_cost .*wave \S+ is open/)
    const open = newest(box)
    const before = starts(box)
    expect((await box.ralph(['run', '--continue', '-c', 'event_loop.max_cost_usd=9'])).code).toBe(0)
    expect(played(box).slice(before).sort()).toEqual(['agg', 'work:1', 'work:3'])
    expect(outcome(box, 0, open)).toMatchObject({ reused: { index: 0 } })
  })

  test('that is cut goes on with run --continue', async () => {
    await using box = sandbox()
    const wave = await half(box)
    roleScript(box, {
      ...HALF,
      work: { ...HALF.work, 1: 'EMIT item.done r1', 3: '[ -e go ] || HANG; EMIT item.done r3' },
    })
    const going = box.start(['wave', 'redrive', wave])
    await until('one of two results', () => waves(box).length === 2 && hasOutcome(box, newest(box), 1))
    going.kill('SIGKILL')
    await going.finished
    box.write('go', '')
    const before = starts(box)
    expect((await box.ralph(['run', '--continue'])).code).toBe(0)
    expect(played(box).slice(before).sort()).toEqual(['agg', 'work:3'])
    expect(promptsOf(box, 'agg').at(-1)).toContain('received 4/4')
  })

  test('of a wave that is still open is an error that names run --continue', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { disp: 'WAVE item.go a b', work: '[ -e go ] || HANG; EMIT item.done x' })
    const going = box.start(['run', '-p', 'X'])
    await until('both workers', () => starts(box) === 3)
    const busy = await box.ralph(['wave', 'redrive', newest(box)])
    expect(busy.code).toBe(1)
    expect(busy.stderr).toContain('holds this workspace')
    going.kill('SIGINT')
    await going.finished
    const { done, what } = await redrive(box, [newest(box)])
    expect(done.code).toBe(1)
    expect(done.stderr).toMatch(/wave \S+ is still open \(0 of 2 items settled\)\n {2}`ralph run --continue`/)
    expect(what).toEqual([])
  })

  test('of the first wave of a chain pays for no later part that is done', async () => {
    await using box = sandbox()
    const mid = hat('mid', { triggers: ['mid.go'], publishes: ['item.done'], concurrency: 2 })
    configure(box, FW({ hats: { work: { publishes: ['mid.go'] }, mid } }))
    roleScript(box, {
      work: { 1: '[ -e go ] || exit 1; EMIT mid.go "half 1"', else: 'EMIT mid.go "half $RALPH_WAVE_INDEX"' },
      mid: { 2: '[ -e go ] || exit 1; EMIT item.done m2', else: 'EMIT item.done "m$RALPH_WAVE_INDEX"' },
    })
    await run(box)
    box.write('go', '')
    const [first = ''] = waves(box)
    expect((await redrive(box, [first])).what).toEqual(['agg', 'mid:1', 'mid:2', 'work:1'])
    const [, text = ''] = promptsOf(box, 'agg')
    expect(text).toContain('received 3/3')
    for (const result of ['m0', 'm1', 'm2']) expect(text).toContain(result)
  })

  test.each([
    { what: 'an unknown wave', args: ['w-none'], code: 1, says: 'no kept run has a wave w-none' },
    { what: 'an index that is not there', args: ['WAVE', '--only', '9'], code: 1, says: 'has no item 9' },
    {
      what: 'no list of indices',
      args: ['WAVE', '--only', 'x'],
      code: 2,
      says: '--only is a list of indices',
    },
    {
      what: 'a flag of waves from the shell',
      args: ['WAVE', '-j', '2'],
      code: 2,
      says: '--jobs is for waves of',
    },
    { what: 'no wave', args: [], code: 2, says: 'WAVE-ID is missing' },
  ])('refuses $what', async ({ args, code, says }) => {
    await using box = sandbox()
    const wave = args[0] === 'WAVE' ? await half(box) : ''
    const { done, what } = await redrive(
      box,
      args.map((word) => (word === 'WAVE' ? wave : word)),
    )
    expect(done).toMatchObject({ code, stdout: '' })
    expect(done.stderr).toContain(says)
    expect(what).toEqual([])
  })
})

describe.concurrent('ralph wave redrive of a wave from the shell', () => {
  const SCRIPT = `hats:
  item:
    - run: |
        echo "$PAYLOAD" >> starts
        case $PAYLOAD in bad*) [ -e go ] || kill -KILL $PPID ;; esac
    - cost: 0.25
    - say: "{prompt}"
`
  const KEY = ['-c', 'adapters.mock.script=m.yml']

  test('is a new run of the same items, prompt and program; results come in the order of the items', async () => {
    await using box = sandbox()
    box.write('m.yml', SCRIPT)
    const args = ['wave', 'run', '-b', 'mock', '--prompt', 'Say {}', ...KEY]
    const first = await box.ralph(args, { stdin: 'a\nbad\nc\n' })
    expect(first).toMatchObject({ code: 1, stdout: 'Say a\nSay c\n' })
    const [, wave = ''] = /`ralph wave redrive (\S+)` runs the rest/.exec(first.stderr) ?? []
    box.write('go', '')
    const again = await box.ralph(['wave', 'redrive', wave, ...KEY])
    expect(again).toMatchObject({ code: 0, stdout: 'Say a\nSay bad\nSay c\n' })
    expect(again.stderr).toMatch(/^1 of 3 items of \S+ run again\.\n/)
    expect(again.stderr).toMatch(/2 reused .* \| cost \$0\.25 ──\n$/)
    expect(box.read('starts').trimEnd().split('\n').sort()).toEqual(['a', 'bad', 'bad', 'c'])

    const [, next = ''] = /── Wave (\S+):/.exec(again.stderr) ?? []
    const none = await box.ralph(['wave', 'redrive', next, ...KEY])
    expect(none).toMatchObject({ code: 0, stdout: '' })
    expect(none.stderr).toContain('Nothing is to run again')

    const one = await box.ralph([
      'wave',
      'redrive',
      next,
      '--only',
      '2',
      '--json',
      '--model',
      'large',
      ...KEY,
    ])
    expect(one.code).toBe(0)
    const rows = one.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { reused?: unknown })
    expect(rows.map(({ reused }) => reused !== undefined)).toEqual([true, true, false])
  })

  test('belongs to its folder, and takes no flag of loops', async () => {
    await using box = sandbox()
    box.write('m.yml', SCRIPT)
    const first = await box.ralph(['wave', 'run', '-b', 'mock', ...KEY], { stdin: 'bad\n' })
    const [, wave = ''] = /── Wave (\S+):/.exec(first.stderr) ?? []
    const flag = await box.ralph(['wave', 'redrive', wave, '--exclusive'])
    expect(flag.code).toBe(2)
    const elsewhere = await box.ralph(['wave', 'redrive', wave], { cwd: box.home })
    expect(elsewhere.code).toBe(1)
    expect(elsewhere.stderr).toContain(`belongs to the folder ${box.dir}`)
  })
})

/** A completed run whose wave has two results and two failures. Gives the wave's id. */
async function half(box: Sandbox): Promise<string> {
  configure(box, FW())
  roleScript(box, HALF)
  expect((await run(box)).code).toBe(0)
  return newest(box)
}

/** Runs parts of a wave again, and tells which hats were played. */
async function redrive(box: Sandbox, args: readonly string[]): Promise<{ done: Finished; what: string[] }> {
  const before = existsSync(box.path('ralph.yml')) ? starts(box) : 0
  const done = await box.ralph(['wave', 'redrive', ...args])
  return { done, what: before === 0 ? [] : played(box).slice(before).sort() }
}

/** The wave that was opened last. */
const newest = (box: Sandbox): string => waves(box).at(-1) ?? ''

const hasOutcome = (box: Sandbox, wave: string, index: number): boolean =>
  box.exists(rundir(box, 'waves', wave, String(index), 'outcome.json'))
