import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finished, type Sandbox, type Started, sandbox, until } from '../helpers/sandbox.ts'
import {
  agentScript,
  claudeScript,
  configure,
  F,
  FP,
  FW,
  main,
  roleScript,
  rundir,
  runId,
  starts,
} from './fixtures.ts'
import { isAlive, MEETING, release, settled, theWave, waves } from './waves.ts'

const stateDir = (box: Sandbox, ...path: string[]): string => join(box.home, '.local/state/ralph', ...path)

const kept = (box: Sandbox): string[] => readdirSync(stateDir(box, 'runs')).sort()

/** The rows of `ralph runs --json`. */
const list = async (box: Sandbox, ...flags: string[]): Promise<Record<string, unknown>[]> =>
  JSON.parse((await box.ralph(['runs', '--json', ...flags])).stdout)

/** One finished run. Gives its id. */
async function once(box: Sandbox, objective = 'X'): Promise<string> {
  const done = await box.ralph(['run', '-q', '-p', objective])
  expect(done.code).toBe(0)
  return runId(box)
}

/** A workspace whose runs end at once. */
function quick(box: Sandbox): void {
  configure(box, F())
  agentScript(box, 'SAY LOOP_COMPLETE')
}

/** One finished wave from the shell, of two items. Gives its run's id. */
async function waveOnce(box: Sandbox, prompt = 'do {}'): Promise<string> {
  const before = new Set(existsSync(stateDir(box, 'runs')) ? kept(box) : [])
  const echo = ['-b', 'custom', '-c', 'cli.command=echo', '-c', 'cli.args=[it]']
  expect((await box.ralph(['wave', 'run', '--prompt', prompt, ...echo], { stdin: 'a\nb\n' })).code).toBe(0)
  return kept(box).find((id) => !before.has(id)) ?? ''
}

/** A run that hangs in its first agent; its process and the agent's. */
async function hanging(box: Sandbox): Promise<{ readonly going: Started; readonly agent: number }> {
  configure(box, F())
  agentScript(box, 'echo $$ > agent.pid; HANG')
  const going = box.start(['run', '-p', 'hang on'])
  const agent = await until('the agent', () => box.exists('agent.pid') && Number(box.read('agent.pid')))
  return { going, agent }
}

/** A run with an open wave of which one item of three is settled, interrupted. */
async function interruptedWave(box: Sandbox): Promise<string> {
  configure(box, FW())
  roleScript(box, { work: { 0: 'EMIT item.done r0', else: `${MEETING} AWAIT go; EMIT item.done r` } })
  const going = box.start(['run', '-p', 'many'])
  await until(
    'worker 0',
    () => box.exists('.ralph/current-loop-id') && waves(box).length === 1 && settled(box, 0),
  )
  going.kill('SIGINT')
  await going.finished
  return runId(box)
}

describe.concurrent('ralph runs', () => {
  test('lists loops and waves from the shell of this workspace, the latest first', async () => {
    await using box = sandbox()
    configure(box, FP())
    claudeScript(box, 'SAY LOOP_COMPLETE')
    const loop = await once(box, 'first of\n\tall')
    const wave = await waveOnce(box)
    const rows = await list(box)
    expect(rows).toMatchObject([
      {
        run_id: wave,
        kind: 'wave',
        workspace: box.dir,
        state: 'ended',
        stop_reason: 'completed',
        iterations: null,
        agents_started: 2,
        cost_usd: null,
        agents_without_cost: 2,
        open_waves: [],
        objective: 'do {}',
        problem: null,
        folder: stateDir(box, 'runs', wave),
      },
      {
        run_id: loop,
        kind: 'loop',
        iterations: 1,
        agents_started: 1,
        cost_usd: 0.5,
        objective: 'first of all',
      },
    ])
    const { stdout } = await box.sh(
      `find ${stateDir(box, 'runs', loop)} ! -type d -printf '%s\\n' | paste -sd+ | bc`,
    )
    expect(String(rows[1]?.bytes)).toBe(stdout.trim())
    const table = await box.ralph(['runs'])
    expect(table).toMatchObject({ code: 0, stderr: '' })
    const [head = '', first = '', second = ''] = table.stdout.split('\n')
    expect(head).toMatch(/^run +kind +state +last +iter +agents +cost +open +size +objective$/)
    expect(first).toMatch(new RegExp(`^${wave} +wave +completed .* unknown +– .* do \\{\\}$`))
    expect(second).toMatch(new RegExp(`^${loop} +loop +completed .* 1 +1 +\\$0\\.50 +– .* first of all$`))
    expect((await box.ralph(['runs', 'list', '--format', 'json'])).stdout).toBe(`${JSON.stringify(rows)}\n`)
  })

  test('tells a run in progress, an interrupted one with its open wave, and a crashed one apart', async () => {
    await using box = sandbox()
    const interrupted = await interruptedWave(box)
    const { going, agent } = await hanging(box)
    const crashed = runId(box)
    expect(await list(box)).toMatchObject([
      { run_id: crashed, state: 'running', pid: going.pid, stop_reason: null },
      {
        run_id: interrupted,
        state: 'ended',
        stop_reason: 'interrupted',
        open_waves: [{ settled: 1, total: 3, unmerged: 1 }],
      },
    ])
    going.kill('SIGKILL')
    await going.finished
    await until('the end of its agent', () => !isAlive(agent))
    expect(await list(box)).toMatchObject([{ run_id: crashed, state: 'cut', pid: null }, {}])
    const { stdout } = await box.ralph(['runs'])
    expect(stdout).toMatch(new RegExp(`^${crashed} +loop +crashed `, 'm'))
    expect(stdout).toMatch(new RegExp(`^${interrupted} +loop +interrupted .* 1/3 `, 'm'))
    expect((await box.ralph(['status'])).stdout).toMatch(/^state +crashed$/m)
  })

  test('shows an objective whole, though its last word could be the beginning of a key', async () => {
    await using box = sandbox()
    quick(box)
    await once(box, 'carry out plan A')
    expect((await list(box))[0]).toMatchObject({ objective: 'carry out plan A' })
  })

  test('leaves out other workspaces; --all shows them with their folders', async () => {
    await using box = sandbox()
    quick(box)
    const here = await once(box)
    mkdirSync(box.path('other'))
    const echo = ['-b', 'custom', '-c', 'cli.command=echo', '-c', 'cli.args=[it]']
    await box.ralph(['wave', 'run', ...echo], { cwd: box.path('other'), stdin: 'a\n' })
    expect((await list(box)).map((row) => row.run_id)).toEqual([here])
    expect((await list(box, '--all')).map((row) => row.workspace)).toEqual([box.path('other'), box.dir])
    expect((await box.ralph(['runs', '--all'])).stdout).toContain(box.path('other'))
  })

  test('without a run lists none, and says so', async () => {
    await using box = sandbox()
    expect(await box.ralph(['runs', '--json'])).toEqual({
      code: 0,
      stdout: '[]\n',
      stderr: 'No run of this workspace is kept.\n',
    })
  })

  test('hides no damaged journal: without a manifest, contradicting itself, of a newer format, or gone', async () => {
    await using box = sandbox()
    quick(box)
    const ids: string[] = []
    for (const name of ['torn', 'contradiction', 'newer', 'gone']) ids.push(await once(box, name))
    const [torn = '', contradiction = '', newer = '', gone = ''] = ids
    const journal = (id: string): string => stateDir(box, 'runs', id, 'journal.jsonl')
    truncateSync(journal(torn), 40)
    const lines = readFileSync(journal(contradiction), 'utf8').split('\n')
    const ended = lines.findIndex((line) => line.includes('"agent.ended"'))
    writeFileSync(
      journal(contradiction),
      [...lines.slice(0, ended), lines[ended], lines[ended], ''].join('\n'),
    )
    writeFileSync(journal(newer), readFileSync(journal(newer), 'utf8').replace('{"v":1,', '{"v":2,'))
    await box.sh(`rm ${journal(gone)}`)
    const rows = await list(box)
    const problem = (id: string): unknown => rows.find((row) => row.run_id === id)?.problem
    expect(rows.map((row) => row.run_id).sort()).toEqual(ids.sort())
    expect(problem(torn)).toMatch(/this is not the journal of a run/)
    expect(problem(newer)).toMatch(/in format 2/)
    expect(problem(gone)).toMatch(/there is no journal/)
    for (const id of [torn, newer, gone]) {
      expect(rows.find((row) => row.run_id === id)).toMatchObject({ state: 'damaged', cost_usd: null })
      const page = await box.ralph(['runs', 'show', id])
      expect(page).toMatchObject({ code: 0, stderr: '' })
      expect(page.stdout).toMatch(/^state +damaged$/m)
    }
    expect((await box.ralph(['runs'])).stdout.match(/ damaged /g)?.length).toBeGreaterThanOrEqual(3)
  })

  test('a record that cannot be read is told of, and the rest still counts', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    const path = stateDir(box, 'runs', id, 'journal.jsonl')
    appendFileSync(path, '{oops\n')
    expect(await list(box)).toMatchObject([
      {
        state: 'ended',
        stop_reason: 'completed',
        problem: expect.stringContaining('cannot be read, in line '),
      },
    ])
  })

  test('waits for no pipe that somebody has laid where a journal or a lock should be', async () => {
    await using box = sandbox()
    const dir = '.ralph/runs/primary-20200101-000000-00000000'
    await box.sh(`mkdir -p ${dir}; mkfifo ${dir}/journal.jsonl ${dir}/run.lock .ralph/loop.lock`)
    expect(await list(box)).toMatchObject([
      { state: 'damaged', problem: expect.stringContaining('no regular file') },
    ])
    expect((await box.ralph(['clean', '--keep', '0'])).code).toBe(0)
  })

  test('a damaged run of no known workspace is in the whole list, and mentioned in the other', async () => {
    await using box = sandbox()
    mkdirSync(stateDir(box, 'runs', 'wave-20200101-000000-00000000'), { recursive: true })
    const here = await box.ralph(['runs'])
    expect(here.stderr).toContain('1 more; `ralph runs --all` lists them')
    expect(await list(box, '--all')).toMatchObject([{ state: 'damaged', workspace: null, kind: null }])
  })

  test('a run that had to be kept in the workspace is listed and removed like any other', async () => {
    await using box = sandbox()
    quick(box)
    box.write('file', '')
    const env = { RALPH_STATE_DIR: box.path('file', 'state') }
    expect((await box.ralph(['run', '-q', '-p', 'X'], { env })).code).toBe(0)
    const rows = JSON.parse((await box.ralph(['runs', '--json'], { env })).stdout)
    expect(rows).toMatchObject([{ run_id: runId(box), folder: box.path(rundir(box)) }])
    expect((await box.ralph(['runs', 'rm', runId(box)], { env })).code).toBe(0)
    expect(readdirSync(box.path('.ralph/runs'))).toEqual([])
  })
})

describe.concurrent('ralph runs show', () => {
  test('tells what status tells, the waves with their items, the files, and how to go on', async () => {
    await using box = sandbox()
    const id = await interruptedWave(box)
    const wave = theWave(box)
    const { stdout } = await box.ralph(['runs', 'show', id.split('-').at(-1) ?? '', '--json'])
    const shown = JSON.parse(stdout)
    const status = JSON.parse((await box.ralph(['status', '--json'])).stdout)
    expect(shown.status).toEqual(status)
    expect(shown).toMatchObject({
      run_id: id,
      folder: stateDir(box, 'runs', id),
      events_file: box.path(main(box)),
      waves: [
        {
          wave_id: wave,
          settled: 1,
          total: 3,
          finished: false,
          items: [
            { index: 0, hat: 'work', status: 'ok', attempts: 1, cost_usd: null },
            { index: 1, hat: 'work' },
            { index: 2, hat: 'work' },
          ],
        },
      ],
    })
    expect(existsSync(join(shown.waves[0].items[0].folder, 'outcome.json'))).toBe(true)
    const commands = shown.next.map((step: { command: string }) => step.command)
    expect(commands).toEqual([`ralph runs resume ${id}`, `ralph wave results ${wave}`, `ralph runs rm ${id}`])
    const page = (await box.ralph(['runs', 'show', id])).stdout
    expect(page).toStartWith((await box.ralph(['status'])).stdout)
    expect(page).toMatch(/^item +hat +status +attempts +took +cost +reason$/m)
    expect(page).toMatch(/^0 +work +ok +1 /m)
  })

  test('still knows merged waves, and what became of each item', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: { 1: 'echo boom >&2; exit 7', else: 'EMIT item.done r' } })
    await once(box)
    const shown = JSON.parse((await box.ralph(['runs', 'show', runId(box), '--json'])).stdout)
    expect(shown.status.waves).toEqual([])
    expect(shown.waves).toMatchObject([
      {
        finished: true,
        settled: 3,
        items: [{ status: 'ok' }, { status: 'failed', reason: expect.stringContaining('7') }, {}],
      },
    ])
  })

  test('of a wave from the shell has its items', async () => {
    await using box = sandbox()
    const id = await waveOnce(box)
    const shown = JSON.parse((await box.ralph(['runs', 'show', 'wave', '--json'])).stdout)
    expect(shown).toMatchObject({
      run_id: id,
      events_file: null,
      waves: [{ finished: true, items: [{ status: 'ok' }, { status: 'ok' }] }],
    })
  })

  test('an ambiguous or unknown name is an error that helps', async () => {
    await using box = sandbox()
    quick(box)
    const ids = [await once(box), await once(box)]
    const ambiguous = await box.ralph(['runs', 'show', 'primary'])
    expect(ambiguous).toMatchObject({ code: 1, stdout: '' })
    for (const id of ids) expect(ambiguous.stderr).toContain(id)
    const near = await box.ralph(['runs', 'show', `${ids[0]}f`])
    expect(near).toMatchObject({ code: 1, stdout: '' })
    expect(near.stderr).toContain('did you mean primary-')
  })
})

describe.concurrent('ralph runs resume, ralph run --continue RUN', () => {
  test.each([
    ['runs resume RUN', (id: string) => ['runs', 'resume', id.split('-').at(-1) ?? '']],
    ['run --continue RUN', (id: string) => ['run', '--continue', id]],
    ['run RUN --continue --loop-id RUN', (id: string) => ['run', id, '--continue', '--loop-id', id]],
    ['--continue RUN, without run', (id: string) => ['--continue', id]],
  ])('%s goes on with an older run', async (_, words) => {
    await using box = sandbox()
    const id = await interruptedWave(box)
    configure(box, FW())
    roleScript(box, { disp: 'SAY LOOP_COMPLETE' })
    await box.ralph(['run', '-q', '-p', 'another'])
    expect(runId(box)).not.toBe(id)
    roleScript(box)
    expect((await box.ralph(words(id))).code).toBe(0)
    expect(runId(box)).toBe(id)
    expect((await list(box))[0]).toMatchObject({ run_id: id, stop_reason: 'completed', open_waves: [] })
  })

  test('a finished run says so, a wave from the shell names its own way, neither starts anything', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    const wave = await waveOnce(box)
    const begun = starts(box)
    const finished = await box.ralph(['runs', 'resume', id])
    expect([finished.code, finished.stderr]).toEqual([1, expect.stringContaining('is finished')])
    const shell = await box.ralph(['runs', 'resume', wave])
    expect([shell.code, shell.stderr]).toEqual([
      1,
      expect.stringContaining(`ralph wave run --resume ${wave}`),
    ])
    expect(starts(box)).toBe(begun)
  })

  test('a run of another workspace is refused, and the message names it: its agents and its lock are there', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    box.write('other/ralph.yml', box.read('ralph.yml'))
    const done = await box.ralph(['run', '--continue', id, '-p', 'on'], { cwd: box.path('other') })
    expect([done.code, done.stderr]).toEqual([1, expect.stringContaining(`belongs to the folder ${box.dir}`)])
  })

  test('of a workspace that was moved goes on once a link leads there from its old place; the message says so', async () => {
    await using box = sandbox()
    quick(box)
    await box.sh('mkdir old && mv ralph.yml agent.sh old')
    const old = { cwd: box.path('old') }
    expect((await box.ralph(['run', '-q', '-p', 'X'], old)).code).toBe(0)
    const [id = ''] = kept(box)
    await box.sh('mv old new')
    const goesOn = () => box.ralph(['run', '--continue', id, '-p', 'on'], { cwd: box.path('new') })
    const lost = await goesOn()
    expect(lost.code).toBe(1)
    expect(lost.stderr).toContain('that folder is there no more: where it was moved, a link')
    await box.sh('ln -s new old')
    expect((await goesOn()).code).toBe(0)
  })

  test.each([
    ['a RUN without --continue', ['run', 'primary-1'], "unexpected argument 'primary-1'"],
    ['two different runs', ['run', '--continue', 'a', '--loop-id', 'b'], 'two runs'],
    ['two words', ['run', '--continue', 'a', 'b'], "unexpected argument 'b'"],
    ['no RUN', ['runs', 'resume'], 'RUN is missing'],
  ])('%s is a usage error', async (_, words, text) => {
    await using box = sandbox()
    const done = await box.ralph(words)
    expect([done.code, done.stderr]).toEqual([2, expect.stringContaining(text)])
  })

  test('an unknown run is an error, and nothing is written or started', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    const done = await box.ralph(['run', '--continue', `${id}f`])
    expect([done.code, done.stderr]).toEqual([1, expect.stringContaining(`did you mean ${id}?`)])
    expect([runId(box), starts(box)]).toEqual([id, 1])
  })
})

describe.concurrent('ralph runs rm', () => {
  test('removes folder, link, events file and markers; --dry-run only lists', async () => {
    await using box = sandbox()
    quick(box)
    const [first, last, wave] = [await once(box), await once(box), await waveOnce(box)]
    const events = box.path(main(box))
    const folders = [last, wave].map((id) => `${stateDir(box, 'runs', id)}\n`).join('')
    const dry = await box.ralph(['runs', 'rm', last, wave, '--dry-run'])
    expect([dry, kept(box).length, existsSync(events)]).toEqual([
      { code: 0, stdout: folders, stderr: '' },
      3,
      true,
    ])
    // What is given twice goes once.
    expect(await box.ralph(['runs', 'rm', last, wave, last])).toEqual({
      code: 0,
      stdout: folders,
      stderr: '',
    })
    expect(kept(box)).toEqual([first])
    expect(readdirSync(box.path('.ralph/runs'))).toEqual([first])
    for (const gone of [events, box.path('.ralph/current-loop-id'), box.path('.ralph/current-events')])
      expect(existsSync(gone)).toBe(false)
  })

  test('after the last run was removed --continue and status say so, and go on with no other by themselves', async () => {
    await using box = sandbox()
    quick(box)
    const [first, last] = [await once(box), await once(box)]
    await box.ralph(['runs', 'rm', last])
    for (const words of [['run', '--continue', '-p', 'on'], ['status']]) {
      const done = await box.ralph(words)
      expect([done.code, done.stdout, starts(box)]).toEqual([1, '', 2])
      expect(done.stderr).toContain('the last run of this workspace is there no more')
    }
    expect((await box.ralph(['run', '--continue', first, '-p', 'on'])).code).toBe(0)
    expect(runId(box)).toBe(first)
    await box.ralph(['runs', 'rm', first])
    expect((await box.ralph(['run', '--continue'])).stderr).toContain(
      'there is no earlier run in this workspace',
    )
    await once(box)
    expect(await list(box)).toHaveLength(1)
  })

  test('a marker that names a run which is gone makes no folder for it', async () => {
    await using box = sandbox()
    quick(box)
    const gone = await once(box)
    await box.sh(`rm -r ${stateDir(box, 'runs', gone)} .ralph/runs/${gone}`)
    box.write('.ralph/agent/scratchpad.md', 'notes')
    const id = await once(box)
    expect(readdirSync(box.path('.ralph/runs'))).toEqual([id])
    expect(box.read(rundir(box, 'scratchpads', 'agent__scratchpad.md'))).toBe('notes')
  })

  test('refuses a run in progress with its process and time, and then removes none of the others', async () => {
    await using box = sandbox()
    quick(box)
    const other = await once(box)
    const { going } = await hanging(box)
    const id = runId(box)
    const done = await box.ralph(['runs', 'rm', other, id])
    expect([done.code, done.stdout]).toEqual([1, ''])
    expect(done.stderr).toMatch(new RegExp(`the run ${id} is in progress: process ${going.pid} \\(since 20`))
    expect(kept(box)).toHaveLength(2)
    going.kill('SIGINT')
    await going.finished
    expect((await box.ralph(['runs', 'rm', id])).code).toBe(0)
    expect(kept(box)).toEqual([other])
  })

  test('refuses a wave from the shell in progress', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'touch up; HANG')
    const going = box.start(['wave', 'run', '--prompt', 'x'], { stdin: 'a\n' })
    await until('the worker', () => box.exists('up'))
    const [id = ''] = kept(box)
    const done = await box.ralph(['runs', 'rm', id])
    expect([done.code, done.stderr]).toEqual([1, expect.stringContaining(`process ${going.pid} `)])
    for (const flags of [[], ['--keep', '0']]) {
      expect((await box.ralph(['clean', ...flags])).stderr).toContain(`kept ${id}: it is in progress`)
      expect(kept(box)).toEqual([id])
    }
    going.kill('SIGTERM')
    await going.finished
  })

  test.each([
    ['runs rm', (id: string) => ['runs', 'rm', id]],
    ['clean', () => ['clean']],
  ])('%s ends what a crashed run has left running, since afterwards nobody could', async (_, words) => {
    await using box = sandbox()
    // Without its reaper, agents outlive a killed ralph.
    const { going, agent } = await hanging(box)
    const { stdout: reapers } = await box.sh(`pgrep -P ${going.pid} -x sh`)
    for (const pid of reapers.trim().split('\n')) process.kill(Number(pid), 'SIGKILL')
    going.kill('SIGKILL')
    await going.finished
    expect(isAlive(agent)).toBe(true)
    expect((await box.ralph(words(runId(box)))).code).toBe(0)
    expect([isAlive(agent), kept(box)]).toEqual([false, []])
  })

  test('two who remove the same run, and one who goes on with it: somebody gets it, nobody gets half of it', async () => {
    await using box = sandbox()
    const { going } = await hanging(box)
    going.kill('SIGINT')
    await going.finished
    const id = runId(box)
    agentScript(box, 'SAY LOOP_COMPLETE')
    const ends = await Promise.all([
      box.ralph(['runs', 'rm', id]),
      box.ralph(['run', '--continue', id]),
      box.ralph(['runs', 'rm', id]),
    ])
    for (const end of ends) expect(end.stderr).not.toContain('    at ')
    const [first, goesOn, second] = ends.map((end) => end.code === 0)
    expect(goesOn ? true : first !== second).toBe(true)
    expect(kept(box)).toEqual(first || second ? [] : [id])
  })

  test('says which paid results go with an open wave', async () => {
    await using box = sandbox()
    const id = await interruptedWave(box)
    const wave = theWave(box)
    const done = await box.ralph(['runs', 'rm', id])
    expect(done).toMatchObject({ code: 0, stdout: `${stateDir(box, 'runs', id)}\n` })
    expect(done.stderr).toContain(`wave ${wave} is open: 1 of 3 items paid for and never handed on`)
  })

  test('an unknown name removes nothing at all', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    expect(await box.ralph(['runs', 'rm', id, 'nonsense'])).toMatchObject({ code: 1, stdout: '' })
    expect(kept(box)).toEqual([id])
  })

  test('follows no link: what lies behind one in .ralph/runs is not ours', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    const precious = join(dirname(box.home), 'precious')
    cpSync(stateDir(box, 'runs', id), precious, { recursive: true, verbatimSymlinks: true })
    symlinkSync(precious, box.path('.ralph/runs/primary-20200101-000000-00000000'))
    expect((await box.ralph(['runs', 'rm', 'primary-2020'])).code).toBe(1)
    expect((await box.ralph(['clean'])).code).toBe(0)
    expect(existsSync(join(precious, 'journal.jsonl'))).toBe(true)
  })

  test('a run that came with a workspace speaks for no other run and no other workspace', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    const journal = readFileSync(stateDir(box, 'runs', id, 'journal.jsonl'), 'utf8')
    const planted = 'other/.ralph/runs/primary-20200101-000000-00000000'
    box.write(`${planted}/journal.jsonl`, journal)
    const there = { cwd: box.path('other') }
    const [row] = JSON.parse((await box.ralph(['runs', '--json'], there)).stdout)
    expect(row).toMatchObject({
      state: 'damaged',
      workspace: there.cwd,
      problem: expect.stringContaining('another run'),
    })
    const renamed = journal.replaceAll(id, 'primary-20200101-000000-00000000')
    box.write(`${planted}/journal.jsonl`, renamed)
    expect((await box.ralph(['runs', 'rm', 'primary-2020'], there)).code).toBe(0)
    expect([box.exists(planted), box.exists(main(box)), runId(box), kept(box)]).toEqual([
      false,
      true,
      id,
      [id],
    ])
  })

  test('a damaged run can be removed by name', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    truncateSync(stateDir(box, 'runs', id, 'journal.jsonl'), 10)
    expect((await box.ralph(['runs', 'rm', id])).code).toBe(0)
    expect([kept(box), await list(box)]).toEqual([[], []])
  })
})

describe.concurrent('ralph clean by age', () => {
  const stderrOf = async (box: Sandbox, ...flags: string[]): Promise<Finished> =>
    box.ralph(['clean', ...flags])

  test('--keep removes the older runs, oldest first, and nothing else of the workspace', async () => {
    await using box = sandbox()
    quick(box)
    const ids = [await once(box), await waveOnce(box), await once(box), await once(box)]
    box.write('.ralph/agent/scratchpad.md', 'notes')
    const going = ids.slice(0, 2).map((id) => `${stateDir(box, 'runs', id)}\n`)
    expect((await stderrOf(box, '--keep', '2', '--dry-run')).stdout).toBe(going.join(''))
    expect(kept(box)).toHaveLength(4)
    expect(await stderrOf(box, '--keep', '2')).toEqual({ code: 0, stdout: going.join(''), stderr: '' })
    expect(kept(box)).toEqual(ids.slice(2).sort())
    expect([runId(box), box.read('.ralph/agent/scratchpad.md'), box.exists(main(box))]).toEqual([
      ids[3] ?? '',
      'notes',
      true,
    ])
    expect((await stderrOf(box, '--keep', '2')).stderr).toBe('There is no run to remove.\n')
  })

  test('--older-than spares the young, and with --keep the latest', async () => {
    await using box = sandbox()
    quick(box)
    const [old, young] = [await once(box), await once(box)]
    // A run is as old as the last thing that happened in it.
    const path = stateDir(box, 'runs', old, 'journal.jsonl')
    const hour = 3_600_000
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/"at":(\d+)/g, (_, at) => `"at":${Number(at) - 3 * hour}`),
    )
    await stderrOf(box, '--older-than', '4h')
    await stderrOf(box, '--older-than', '2h', '--keep', '2')
    expect(kept(box)).toEqual([old, young].sort())
    expect((await stderrOf(box, '--older-than', '120m')).stdout).toBe(`${stateDir(box, 'runs', old)}\n`)
    expect(kept(box)).toEqual([young])
  })

  test('never takes a run in progress, and is not stopped by one', async () => {
    await using box = sandbox()
    quick(box)
    const old = await once(box)
    const { going } = await hanging(box)
    const done = await stderrOf(box, '--keep', '0')
    expect([done.code, done.stdout]).toEqual([0, `${stateDir(box, 'runs', old)}\n`])
    expect(done.stderr).toContain(`kept ${runId(box)}: it is in progress`)
    going.kill('SIGINT')
    expect((await going.finished).code).toBe(130)
    expect(kept(box)).toEqual([runId(box)])
  })

  test('never takes results of an open wave that nobody has got; it says what finishes or removes the run', async () => {
    await using box = sandbox()
    const id = await interruptedWave(box)
    const done = await stderrOf(box, '--keep', '0', '--older-than', '0m')
    expect([done.code, done.stdout, kept(box)]).toEqual([0, '', [id]])
    for (const text of [
      `kept ${id}: wave ${theWave(box)} is open: 1 of 3 items paid for and never handed on`,
      `ralph runs resume ${id}`,
      `ralph runs rm ${id}`,
    ])
      expect(done.stderr).toContain(text)
    release(box, 'go')
    expect((await box.ralph(['runs', 'resume', id])).code).toBe(0)
    expect((await stderrOf(box, '--keep', '0')).stdout).toBe(`${stateDir(box, 'runs', id)}\n`)
  })

  test('takes a cut wave from the shell once a later one has taken its results over', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, `${MEETING} if grep -q first "$PROMPT"; then SAY r0; else AWAIT go; SAY r; fi`)
    const items = { stdin: 'first\nsecond\n' }
    const going = box.start(['wave', 'run', '--prompt', 'do {}'], items)
    const cut = await until('the run', () => existsSync(stateDir(box, 'runs')) && kept(box)[0])
    const waveDir = stateDir(box, 'runs', cut, 'waves')
    await until('the first item', () => {
      const [wave = ''] = existsSync(waveDir) ? readdirSync(waveDir) : []
      return existsSync(join(waveDir, wave, '0', 'outcome.json')) && starts(box) === 2
    })
    going.kill('SIGKILL')
    await going.finished
    const spared = await stderrOf(box, '--keep', '0')
    expect([spared.stdout, kept(box)]).toEqual(['', [cut]])
    expect(spared.stderr).toContain(`ralph wave run --resume ${cut}`)
    release(box, 'go')
    expect((await box.ralph(['wave', 'run', '--resume', '--prompt', 'do {}'], items)).code).toBe(0)
    expect((await stderrOf(box, '--keep', '1')).stdout).toBe(`${stateDir(box, 'runs', cut)}\n`)
  })

  test('side by side with others of its kind takes no run that goes for a damaged one', async () => {
    await using box = sandbox()
    quick(box)
    for (let i = 0; i < 6; i++) await once(box)
    const all = await Promise.all([1, 2, 3].map(() => stderrOf(box, '--keep', '0')))
    for (const { stderr } of all) expect(stderr).not.toContain('cannot be read')
    expect(kept(box)).toEqual([])
  })

  test('keeps a damaged run, and says why', async () => {
    await using box = sandbox()
    quick(box)
    const id = await once(box)
    truncateSync(stateDir(box, 'runs', id, 'journal.jsonl'), 10)
    const done = await stderrOf(box, '--keep', '0')
    expect([done.stdout, kept(box)]).toEqual(['', [id]])
    expect(done.stderr).toContain(`kept ${id}: its journal cannot be read`)
  })

  test('--all takes the runs of every workspace, each with its own count', async () => {
    await using box = sandbox()
    quick(box)
    const ids = [await once(box), await once(box)]
    box.write('other/ralph.yml', box.read('ralph.yml'))
    box.script('other/agent.sh', box.read('agent.sh'))
    for (const _ of ids) await box.ralph(['run', '-q', '-p', 'X'], { cwd: box.path('other') })
    const others = kept(box).filter((id) => !ids.includes(id))
    await stderrOf(box, '--keep', '1', '--all')
    expect(kept(box)).toHaveLength(2)
    expect(kept(box)).toContain(ids[1] ?? '')
    expect(kept(box).some((id) => others.includes(id))).toBe(true)
    expect(readdirSync(box.path('other/.ralph/runs'))).toHaveLength(1)
  })

  test.each([
    [['--older-than', '7'], '--older-than is a number of days'],
    [['--keep', 'few'], '--keep must be an integer'],
    [['--all'], '--all goes with --keep or --older-than'],
    [['--keep', '1', '--diagnostics'], '--diagnostics removes no runs'],
  ])('%p is a usage error', async (flags, text) => {
    await using box = sandbox()
    const done = await stderrOf(box, ...flags)
    expect([done.code, done.stderr]).toEqual([2, expect.stringContaining(text)])
  })

  test('without these, clean takes all runs of the workspace, waves from the shell too, and no other’s', async () => {
    await using box = sandbox()
    quick(box)
    await once(box)
    await waveOnce(box)
    mkdirSync(box.path('other'))
    await box.ralph(['wave', 'run', '-b', 'custom', '-c', 'cli.command=echo', '-c', 'cli.args=[it]'], {
      cwd: box.path('other'),
      stdin: 'a\n',
    })
    // A link to another workspace's run is only a link.
    const [other = ''] = (await list(box, '--all')).flatMap((row) =>
      row.workspace === box.dir ? [] : [row.run_id],
    )
    symlinkSync(stateDir(box, 'runs', String(other)), box.path('.ralph/runs', String(other)))
    expect((await stderrOf(box)).code).toBe(0)
    expect(kept(box)).toEqual([String(other)])
    expect(box.exists('.ralph/runs')).toBe(false)
  })
})

describe.concurrent('the lock of a workspace', () => {
  test('names its holder: process, since when, run; and is taken over when the holder was killed', async () => {
    await using box = sandbox()
    const { going } = await hanging(box)
    const refused = await box.ralph(['run', '-p', 'Y'])
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toMatch(
      new RegExp(`run ${runId(box)} \\(process ${going.pid}, since 20\\S+\\) holds this workspace`),
    )
    expect((await box.ralph(['clean'])).stderr).toContain(`run ${runId(box)} (process ${going.pid}`)
    going.kill('SIGKILL')
    await going.finished
    agentScript(box, 'SAY LOOP_COMPLETE')
    expect((await box.ralph(['run', '-q', '-p', 'Y'])).code).toBe(0)
  })
})
