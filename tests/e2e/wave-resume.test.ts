import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Finished, type Sandbox, type Started, sandbox, until } from '../helpers/sandbox.ts'
import { carriers, isAlive } from './waves.ts'

/**
 * `ralph wave run --resume`: each start is a line of `starts`, so that what was done twice shows. Items whose name begins
 * with `slow` hang, those with `bad` fail, until there is a file `go`; `emits` gives its result and then hangs.
 */
const SCRIPT = `hats:
  item:
    - run: |
        echo "$PAYLOAD" >> starts
        [ -e go ] && exit
        case $PAYLOAD in
          bad*) kill -KILL $PPID ;;
          emits*) ralph emit item.result "early $PAYLOAD" < /dev/null; echo x >> emitted; sleep 300 ;;
          slow*) sleep 300 ;;
        esac
    - cost: 0.25
    - say: "{prompt}"
`

const ARGS = ['wave', 'run', '-b', 'mock', '-c', 'adapters.mock.script=m.yml']
const ITEMS = ['a', 'slow 1', 'b', 'bad 1', 'c', 'slow 2']

describe.concurrent('ralph wave run --resume', () => {
  test('after Ctrl-C runs only what has no result, and prints all in the order of the input', async () => {
    await using box = cutBox()
    const going = await cut(box, ITEMS)
    going.kill('SIGINT')
    expect((await going.finished).code).toBe(130)
    const done = await resume(box, ITEMS)
    expect(done).toMatchObject({ code: 0, stdout: ITEMS.map((item) => `${item}\n`).join('') })
    expect(done.stderr).toMatch(/^3 of 6 results taken over from wave-\S+; 3 to run\.\n/)
    expect(done.stderr).toMatch(/6 succeeded, 0 failed, 3 reused .* \| cost \$0\.75 ──\n$/)
    expect(startsOf(box)).toEqual({ a: 1, b: 1, c: 1, 'bad 1': 2, 'slow 1': 2, 'slow 2': 2 })
  })

  test('after kill -9 ends what was left running first, and pays for no result twice', async () => {
    await using box = cutBox()
    const going = await cut(box, ITEMS)
    const left = carriers(`RALPH_AGENT=${onlyRun(box)}:`)
    expect(left.length).toBeGreaterThan(1)
    going.kill('SIGKILL')
    await going.finished
    const done = await resume(box, ITEMS)
    expect(done.code).toBe(0)
    expect(left.filter(isAlive)).toEqual([])
    expect(startsOf(box)).toEqual({ a: 1, b: 1, c: 1, 'bad 1': 2, 'slow 1': 2, 'slow 2': 2 })
  })

  test.skipIf(process.platform !== 'linux')(
    'ends an agent that a sandbox has stripped of its environment, too, where nothing else is left to do it',
    async () => {
      await using box = sandbox()
      box.script(
        'item.sh',
        '#!/bin/bash\nn=$(cat); echo "$n" >> starts\n[ -e go ] || exec env -i /bin/bash -c "echo \\$\\$ > left; exec /bin/sleep 300"\necho "did $n"',
      )
      const keys = ['cli.backend=custom', 'cli.command=./item.sh', 'cli.prompt_mode=stdin']
      const args = ['wave', 'run', ...keys.flatMap((key) => ['-c', key])]
      const going = box.start(args, { stdin: 'a\n' })
      const left = Number(await until('the agent', () => box.exists('left') && box.read('left').trim()))
      await until('the agent to be told of', () => journals(box).includes('"agent.started"'))
      // The process that ends agents in its stead.
      for (const pid of childrenOf(going.pid)) if (pid !== left) process.kill(pid, 'SIGKILL')
      going.kill('SIGKILL')
      await going.finished
      expect(isAlive(left)).toBe(true)
      box.write('go', '')
      expect((await box.ralph([...args, '--resume', onlyRun(box)], { stdin: 'a\n' })).stdout).toBe('did a\n')
      expect(isAlive(left)).toBe(false)
    },
  )

  test('knows items by what they ask: the list may be turned round, grow and shrink', async () => {
    await using box = cutBox()
    const going = await cut(box, ITEMS)
    going.kill('SIGINT')
    await going.finished
    const items = ['new', ...ITEMS.slice(1).toReversed(), 'a', 'a']
    const done = await resume(box, items)
    expect(done.stdout).toBe(items.map((item) => `${item}\n`).join(''))
    expect(startsOf(box)).toEqual({ new: 1, a: 2, b: 1, c: 1, 'bad 1': 2, 'slow 1': 2, 'slow 2': 2 })
  })

  test('takes up a result that a worker had emitted before it was cut', async () => {
    await using box = cutBox()
    const going = await cut(box, ['emits', 'slow'], () => box.exists('emitted'))
    going.kill('SIGKILL')
    await going.finished
    const done = await resume(box, ['emits', 'slow'])
    expect(done).toMatchObject({ code: 0, stdout: 'early emits\nslow\n' })
    expect(startsOf(box)).toEqual({ emits: 1, slow: 2 })
  })

  test('can be resumed again, also when the run that paid is gone', async () => {
    await using box = cutBox()
    const large = 'x'.repeat(20_000)
    const going = await cut(box, [large, 'slow'], () => settledIn(box) === 1)
    going.kill('SIGINT')
    await going.finished
    const [first = ''] = runsOf(box)
    expect((await resume(box, [large, 'slow', 'late'])).code).toBe(0)
    rmSync(join(stateOf(box), first), { recursive: true })
    const rows = await resume(box, [large, 'slow', 'late'], ['--output', 'jsonl'])
    const told = rows.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { result: string; cost_usd: number; reused: { run_id: string } })
    expect(told.map(({ result }) => result)).toEqual([large, 'slow', 'late'])
    expect(told[0]).toMatchObject({ cost_usd: 0.25, reused: { run_id: first, index: 0 } })
    expect(rows.stderr).toMatch(/3 succeeded, 0 failed, 3 reused .* \| cost \$0\.00 ──\n$/)
    expect(startsOf(box)).toEqual({ [large]: 1, slow: 2, late: 1 })
  })

  test.each([
    { what: 'another prompt', more: ['--prompt', 'Say {}'], runs: 2 },
    { what: 'another model', more: ['--model', 'large'], runs: 2 },
    { what: 'another number of agents and another time limit', more: ['-j', '1', '--timeout', '9'], runs: 0 },
  ])('with $what runs $runs of two items', async ({ more, runs }) => {
    await using box = cutBox()
    box.write('go', '')
    expect((await box.ralph(ARGS, { stdin: 'a\nb\n' })).code).toBe(0)
    const done = await resume(box, ['a', 'b'], more)
    expect(done.code).toBe(0)
    expect(box.read('starts').trimEnd().split('\n')).toHaveLength(2 + runs)
  })

  test('takes the run that is named, and the last one with such results where none is', async () => {
    await using box = cutBox()
    box.write('go', '')
    await box.ralph(ARGS, { stdin: 'a\nb\n' })
    const [first = ''] = runsOf(box)
    await box.ralph(ARGS, { stdin: 'other\n' })
    expect((await resume(box, ['a'])).stderr).toContain(`1 of 1 result taken over from ${first}`)
    const [, second = ''] = runsOf(box)
    const named = await resume(box, ['a', 'other'], [second])
    expect(named.stderr).toContain(`1 of 2 results taken over from ${second}`)
    expect(startsOf(box)).toEqual({ a: 2, b: 1, other: 1 })
  })

  test('after a power cut that took the end of its journal takes over all that is on disk; the list counts it, clean spares it', async () => {
    await using box = cutBox()
    const going = await cut(box, ['a', 'b', 'slow'])
    going.kill('SIGKILL')
    await going.finished
    const id = onlyRun(box)
    const [wave = ''] = readdirSync(join(stateOf(box), id, 'waves'))
    const path = join(stateOf(box), id, 'journal.jsonl')
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const opened = lines.findIndex((line) => line.includes('"wave.opened"'))
    const intended = lines.findIndex((line) => line.includes('"agent.intended"'))
    for (const [kept, total] of [
      [opened, 2],
      [opened + 1, 3],
      [intended + 1, 3],
      [lines.length, 3],
    ] as const) {
      writeFileSync(path, `${lines.slice(0, kept).join('\n')}\n`)
      const listed = JSON.parse((await box.ralph(['runs', '--json'])).stdout)
      const about = `${kept} lines of ${lines.length}`
      expect(
        listed.find(({ run_id }: { run_id: string }) => run_id === id),
        about,
      ).toMatchObject({ state: 'cut', open_waves: [{ wave_id: wave, settled: 2, total }] })
      expect((await box.ralph(['clean', '--keep', '0'])).stdout, about).not.toContain(id)
      const before = startsOf(box)
      expect(await resume(box, ['a', 'b', 'slow'], [id]), about).toMatchObject({
        code: 0,
        stdout: 'a\nb\nslow\n',
      })
      expect(startsOf(box), about).toEqual({ ...before, slow: (before.slow ?? 0) + 1 })
      // What took the results over would speak for them from now on.
      for (const other of readdirSync(stateOf(box)))
        if (other !== id) rmSync(join(stateOf(box), other), { recursive: true })
    }
    // Now nothing is left of the wave but its folder: that says so.
    writeFileSync(path, `${lines.slice(0, opened).join('\n')}\n`)
    const redriven = await box.ralph(['wave', 'redrive', wave])
    expect(redriven).toMatchObject({ code: 1, stdout: '' })
    expect(redriven.stderr).toStartWith(
      `Error: the journal of ${id} has lost its end, and wave ${wave} with it`,
    )
    expect(redriven.stderr).toContain(`\`ralph wave run --resume ${id}\``)
  })

  test('of a few items in between does not hide who has paid for them all', async () => {
    await using box = cutBox()
    box.write('go', '')
    expect((await box.ralph(ARGS, { stdin: 'a\nb\nc\n' })).code).toBe(0)
    expect((await resume(box, ['b'])).stderr).toContain('0 to run.')
    expect((await resume(box, ['a', 'b', 'c'])).stderr).toContain('3 of 3 results taken over')
    expect(startsOf(box)).toEqual({ a: 1, b: 1, c: 1 })
  })

  test('is refused while the earlier run is in progress', async () => {
    await using box = cutBox()
    const going = await cut(box, ITEMS)
    const done = await box.ralph([...ARGS, '--resume'], { stdin: ITEMS.join('\n') })
    expect(done).toMatchObject({ code: 1, stdout: '' })
    expect(done.stderr).toMatch(/^Error: the run wave-\S+ is in progress: process \d+/)
    // Other items are none of its business.
    expect((await box.ralph([...ARGS, '--resume'], { stdin: 'other\n' })).stdout).toBe('other\n')
    going.kill('SIGINT')
    await going.finished
    expect(startsOf(box)).toMatchObject({ a: 1, 'slow 1': 1, other: 1 })
  })

  test('without an earlier run runs everything and says so; a name that no run has is an error', async () => {
    await using box = cutBox()
    box.write('go', '')
    const unknown = await resume(box, ['a'], ['wave-unknown'])
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toContain("there is no run 'wave-unknown'")
    const done = await resume(box, ['a'])
    expect(done).toMatchObject({ code: 0, stdout: 'a\n' })
    expect(done.stderr).toContain('No earlier run of this folder has a result for these items: 1 to run.')
  })

  test('takes over nothing from another folder, though the items have the same names there', async () => {
    await using box = cutBox()
    box.write('go', '')
    box.write('other/m.yml', SCRIPT)
    expect((await box.ralph(ARGS, { stdin: 'a\n', cwd: box.path('other') })).code).toBe(0)
    const elsewhere = onlyRun(box)
    const named = await resume(box, ['a'], [elsewhere])
    expect(named).toMatchObject({ code: 1, stdout: '' })
    expect(named.stderr).toContain(`the run ${elsewhere} belongs to the folder ${box.path('other')}`)
    expect((await resume(box, ['a'])).stderr).toContain('1 to run.')
    // Where the folder was moved, a name leads to what was paid for in it.
    await box.sh('mv other moved')
    const moved = await box.ralph([...ARGS, '--resume', elsewhere], { stdin: 'a\n', cwd: box.path('moved') })
    expect(moved.stderr).toContain(`1 of 1 result taken over from ${elsewhere}`)
  })

  test('a run is named with --resume only, and a loop is none', async () => {
    await using box = cutBox()
    box.write('go', '')
    const stray = await box.ralph([...ARGS, 'wave-1'], { stdin: 'a\n' })
    expect(stray).toMatchObject({ code: 2, stdout: '' })
    expect(stray.stderr).toContain('RUN is given with --resume')
    expect((await box.ralph(['run', '-b', 'mock', '-p', 'X'])).code).toBe(0)
    const [loop = ''] = runsOf(box)
    const done = await resume(box, ['a'], [loop])
    expect(done.code).toBe(1)
    expect(done.stderr).toContain(`${loop} is a loop`)
    expect(done.stderr).toContain('ralph run --continue')
    expect(box.exists('starts')).toBe(false)
  })
})

function cutBox(): Sandbox {
  const box = sandbox()
  box.write('m.yml', SCRIPT)
  return box
}

/** Runs until every item that can end has ended, and the others hang. */
async function cut(
  box: Sandbox,
  items: readonly string[],
  ready = () => settledIn(box) === items.filter((item) => !item.startsWith('slow')).length,
): Promise<Started> {
  const going = box.start([...ARGS, '-j', '6'], { stdin: items.join('\n') })
  const begun = () => box.exists('starts') && box.read('starts').split('\n').length > items.length
  await until('all to be under way', () => begun() && ready())
  return going
}

/** Goes on without anything in the way. */
function resume(box: Sandbox, items: readonly string[], more: readonly string[] = []): Promise<Finished> {
  box.write('go', '')
  return box.ralph([...ARGS, '--resume', ...more], { stdin: items.join('\n') })
}

function startsOf(box: Sandbox): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of box.read('starts').trimEnd().split('\n')) counts[item] = (counts[item] ?? 0) + 1
  return counts
}

const stateOf = (box: Sandbox): string => join(box.home, '.local/state/ralph/runs')

/** Oldest first. */
const runsOf = (box: Sandbox): string[] => readdirSync(stateOf(box)).sort(byAge(box))

function byAge(box: Sandbox): (a: string, b: string) => number {
  const started = (run: string): number =>
    (box.rows(join('../home/.local/state/ralph/runs', run, 'journal.jsonl'))[0] as { startedAt: number })
      .startedAt
  return (a, b) => started(a) - started(b)
}

function onlyRun(box: Sandbox): string {
  const [run, ...others] = readdirSync(stateOf(box))
  if (run === undefined || others.length > 0)
    throw new Error(`there is not one run, but ${others.length + 1}`)
  return run
}

const journals = (box: Sandbox): string =>
  readFileSync(join(stateOf(box), onlyRun(box), 'journal.jsonl'), 'utf8')

/** Living children of a process (Linux). */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      return ppid === parent ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

function settledIn(box: Sandbox): number {
  const root = stateOf(box)
  return (existsSync(root) ? readdirSync(root) : []).flatMap((run) => outcomes(join(root, run, 'waves')))
    .length
}

function outcomes(waves: string): string[] {
  return (existsSync(waves) ? readdirSync(waves) : []).flatMap((wave) =>
    readdirSync(join(waves, wave)).filter((index) => existsSync(join(waves, wave, index, 'outcome.json'))),
  )
}
