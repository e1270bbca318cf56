import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finished, type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import { createRandom, type Random } from '../sim/random.ts'
import { configure, FW, hat, onMock, played, reason, roleScript, run, rundir, runId } from './fixtures.ts'
import { carriers, MEETING, waves } from './waves.ts'

/** Six items, two at a time; each waits for a file \`go-<index>\`. */
const SCRIPT = JSON.stringify({
  hats: {
    disp: [{ wave: { topic: 'item.go', payloads: ['a', 'b', 'c', 'd', 'e', 'f'] } }],
    work: [
      { run: 'until [ -e "go-$INDEX" ]; do sleep 0.02; done' },
      { emit: { topic: 'item.done', payload: 'what became of {payload}' } },
      { cost: 0.25 },
    ],
  },
})
const ITEMS = [0, 1, 2, 3, 4, 5]

const COLLECTION = onMock(
  FW({
    hats: {
      work: hat('work', { triggers: ['item.go'], publishes: ['item.done'], concurrency: 2 }),
    },
  }),
)

function furnish(box: Sandbox): void {
  configure(box, COLLECTION)
  box.write('m.yml', SCRIPT)
}

const go = (box: Sandbox, ...items: readonly number[]): void => {
  for (const item of items) box.write(`go-${item}`, '')
}

/** The aggregator counts how often it was asked; all else of its report must be the same. */
const report = (done: Finished): string => done.stdout.replace(/turn \d+/, 'turn N')

/** Starts of workers by item. */
function workerStarts(box: Sandbox): readonly number[] {
  if (!box.exists(rundir(box, 'mock-ledger.jsonl'))) return []
  const lines = box.rows(rundir(box, 'mock-ledger.jsonl'))
  return ITEMS.map(
    (index) =>
      lines.filter((line) => line.event === 'start' && line.kind === 'worker' && line.index === index).length,
  )
}

/** Neither an agent nor the reaper, whose command line names the run. */
async function nothingRuns(box: Sandbox): Promise<void> {
  await until('the end of all agents', () => carriers(`HOME=${box.home}`).length === 0, 4000)
  await until('the end of the reaper', () => !commandLines().some((line) => line.includes(runId(box))), 4000)
}

function commandLines(): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : []
    } catch {
      return []
    }
  })
}

/** A power cut on a disk that lost what it had promised to keep: the journal ends at some byte after its first record. */
function cutJournal(box: Sandbox, random: Random): string {
  const path = rundir(box, 'journal.jsonl')
  const bytes = Buffer.from(box.read(path))
  const first = bytes.indexOf(10) + 1
  const at = first + Math.floor(random.next() * (bytes.length - first))
  writeFileSync(box.path(path), bytes.subarray(0, at))
  return `cut at byte ${at} of ${bytes.length}`
}

describe.concurrent('a run that is interrupted', () => {
  test('three times in three ways gives the report of an undisturbed one, and no finished worker ran again', async () => {
    await using calm = sandbox()
    furnish(calm)
    go(calm, ...ITEMS)
    const undisturbed = await run(calm)
    expect(undisturbed.code).toBe(0)

    await using box = sandbox()
    furnish(box)
    go(box, 0, 1)
    const first = box.start(['run', '-p', 'X'])
    await until('the first two results', () => hasSettled(box, 0, 1) && workerStarts(box)[3] === 1)
    first.kill('SIGINT')
    expect((await first.finished).code).toBe(130)
    await nothingRuns(box)

    const second = box.start(['run', '--continue'])
    await until('the next two workers', () => workerStarts(box)[3] === 2)
    go(box, 2, 3)
    await until('their results', () => hasSettled(box, 2, 3) && workerStarts(box)[5] === 1)
    second.kill('SIGKILL')
    await second.finished
    await nothingRuns(box)

    const seed = Date.now() % 1_000_000
    const where = cutJournal(box, createRandom(seed))
    go(box, 4, 5)
    const last = await box.ralph(['run', '--continue'])
    expect({ code: last.code, report: report(last) }, `${where}, seed ${seed}: ${last.stderr}`).toEqual({
      code: 0,
      report: report(undisturbed),
    })
    expect(reason(box)).toBe('completed')
    const started = workerStarts(box)
    expect(started.slice(0, 2), `${where}, seed ${seed}`).toEqual([1, 1])
    expect(started.slice(2, 4), `${where}, seed ${seed}`).toEqual([2, 2])
    await nothingRuns(box)
  }, 60_000)

  test('by a cut anywhere in its journal pays for no worker twice, and counts what it had paid', async () => {
    await using box = sandbox()
    furnish(box)
    go(box, ...ITEMS)
    const whole = await run(box)
    const path = rundir(box, 'journal.jsonl')
    const lines = box.read(path).split('\n').slice(0, -1)
    const events = readdirSync(box.path('.ralph')).filter((name) => name.startsWith('events-'))
    const kept = events.map((name) => [name, box.read(`.ralph/${name}`)] as const)
    // One cut in the middle of the first record of each kind.
    const kinds = new Map(lines.map((line, i) => [JSON.parse(line).type as string, i] as const).reverse())
    kinds.delete('manifest')
    expect([...kinds.keys()]).toContain('dispatches.resolved')
    for (const [kind, i] of kinds) {
      for (const [name, text] of kept) box.write(`.ralph/${name}`, text)
      const line = lines[i] ?? ''
      box.write(path, `${[...lines.slice(0, i), line.slice(0, line.length / 2)].join('\n')}`)
      const done = await box.ralph(['run', '--continue', '--json'])
      const end = done.stdout.trim().split('\n').at(-1) ?? '{}'
      const { result, total_cost_usd } = JSON.parse(end) as { result: string; total_cost_usd: number }
      expect(
        {
          code: done.code,
          report: `${result.trimEnd()}\n`.replace(/turn \d+/, 'turn N'),
          cost: total_cost_usd,
          starts: workerStarts(box),
        },
        `cut in ${kind}: ${done.stderr}`,
      ).toEqual({ code: 0, report: report(whole), cost: 1.5, starts: ITEMS.map(() => 1) })
    }
  }, 120_000)

  test('gives results of a wave that its journal has lost to the repetition of that wave, and to no later round', async () => {
    await using box = sandbox()
    const rounds = {
      disp: hat('disp', { triggers: ['work.start', 'again'], publishes: ['item.go'] }),
      agg: hat('agg', {
        triggers: ['item.done'],
        publishes: ['again', 'LOOP_COMPLETE'],
        aggregate: { mode: 'wait_for_all' },
      }),
    }
    configure(box, FW({ hats: rounds }))
    const wave = 'WAVE item.go a b'
    roleScript(box, {
      disp: [wave, wave, 'DONE second; HANG', wave].map((text) => `${MEETING} ${text}`),
      agg: [`${MEETING} DONE first; HANG`, 'EMIT again', 'EMIT LOOP_COMPLETE ok'],
    })
    const isDone = (name: string) => existsSync(join(dirname(box.home), 'agent', `done-${name}`))
    const first = box.start(['run', '-p', 'X'])
    await until('the aggregator', () => isDone('first'))
    first.kill('SIGKILL')
    await first.finished
    await nothingRuns(box)
    const lines = box.read(rundir(box, 'journal.jsonl')).split('\n')
    const end = lines.findIndex((line) => line.includes('"agent.ended"'))
    box.write(rundir(box, 'journal.jsonl'), `${lines.slice(0, end).join('\n')}\n`)
    const second = box.start(['run', '--continue'])
    await until('the second round', () => isDone('second'))
    expect(played(box).filter((name) => name.startsWith('work'))).toHaveLength(2)
    second.kill('SIGINT')
    await second.finished
    expect((await box.ralph(['run', '--continue'])).code).toBe(0)
    expect(played(box).filter((name) => name.startsWith('work'))).toHaveLength(4)
  })
})

/** By their files, whatever waves there are. */
function hasSettled(box: Sandbox, ...items: readonly number[]): boolean {
  if (!box.exists('.ralph/current-loop-id')) return false
  return items.every((item) =>
    waves(box).some((wave) => box.exists(rundir(box, 'waves', wave, `${item}`, 'outcome.json'))),
  )
}
