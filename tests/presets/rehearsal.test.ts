import { describe, expect, test } from 'bun:test'
import { parse } from 'yaml'
import { builtinPresets } from '../../presets/index.ts'
import { agentRows, configure, reason, rundir } from '../e2e/fixtures.ts'
import { merged, waves } from '../e2e/waves.ts'
import { atMost } from '../helpers/at-most.ts'
import { type Finished, type Sandbox, sandbox } from '../helpers/sandbox.ts'

/** Every preset, played by the mock on the compiled program: what a user sees who rehearses it. */

const inTurn = atMost(4)

describe('a rehearsal', () => {
  test.concurrent.each(Object.keys(builtinPresets))(
    'of %s completes, after all its hats have played',
    (name) =>
      inTurn(async () => {
        await using box = sandbox()
        const done = await rehearse(box, name)
        expect(done.stderr).not.toContain('warning')
        expect({ code: done.code, reason: reason(box) }).toEqual({ code: 0, reason: 'completed' })
        expect(done.stdout.trim()).not.toBe('')

        const { hats = {}, event_loop: loop } = collection(name)
        expect(playedHats(box)).toEqual(Object.keys(hats).sort())
        const seen = agentRows(box).map((row) => row.topic)
        for (const topic of [...(loop.required_events ?? []), loop.completion_promise])
          expect(seen).toContain(topic)
        expect(waves(box).length > 0).toBe(name.startsWith('wave-'))
      }),
  )

  test.concurrent('of wave-review-and-document runs two waves, the pages after the findings', () =>
    inTurn(async () => {
      await using box = sandbox()
      await rehearse(box, 'wave-review-and-document')
      expect(waves(box)).toHaveLength(2)
      expect([...new Set(merged(box).map((row) => row.topic))]).toEqual(['review.done', 'page.done'])
    }))
})

describe('a preset that could go on for ever', () => {
  test.concurrent('wave-debate: after four turns of a moderator who never closes the judge decides', () =>
    inTurn(async () => {
      await using box = sandbox()
      const items = ['for', 'against', 'practice', 'alternative'].map((side) => ({
        topic: `debate.${side}`,
        payload: 'Round {start}',
      }))
      const done = await rehearse(box, 'wave-debate', { moderator: [{ wave: { items } }] })
      expect({ code: done.code, reason: reason(box) }).toEqual({ code: 0, reason: 'completed' })
      expect(acts(box, 'moderator')).toBe(4)
      expect(acts(box, 'judge')).toBe(1)
      expect(merged(box, 'debate.argument')).toHaveLength(16)
    }))

  test.concurrent('wave-debug: after three rounds without a cause the reporter says so', () =>
    inTurn(async () => {
      await using box = sandbox()
      const unknown = { emit: { topic: 'cause.unknown', payload: 'nothing in round {start}' } }
      const dispatch = { wave: { topic: 'hypothesis.test', payloads: ['the cache', 'the clock'] } }
      const done = await rehearse(box, 'wave-debug', { judge: [unknown], investigator: [dispatch] })
      expect({ code: done.code, reason: reason(box) }).toEqual({ code: 0, reason: 'completed' })
      expect(waves(box)).toHaveLength(3)
      expect(acts(box, 'fixer')).toBe(0)
      expect(acts(box, 'reporter')).toBe(1)
    }))

  test.concurrent('wave-debug: after four fixes that failed the reporter says so', () =>
    inTurn(async () => {
      await using box = sandbox()
      const found = { emit: { topic: 'cause.found', payload: 'the cache' } }
      const failed = { emit: { topic: 'fix.failed', payload: 'still there, try {start}' } }
      const applied = { emit: { topic: 'fix.applied', payload: 'fix {start}' } }
      const script = { judge: [found], fixer: [applied], verifier: [failed] }
      const done = await rehearse(box, 'wave-debug', script)
      expect({ code: done.code, reason: reason(box) }).toEqual({ code: 0, reason: 'completed' })
      expect(acts(box, 'fixer')).toBe(4)
      expect(acts(box, 'reporter')).toBe(1)
    }))
})

test.concurrent('wave-review-and-document: what cannot be documented ends with the review', () =>
  inTurn(async () => {
    await using box = sandbox()
    const end = {
      emit: { topic: 'document.complete', payload: 'Two critical findings; nothing to document yet.' },
    }
    const done = await rehearse(box, 'wave-review-and-document', { decider: [end] })
    expect({ code: done.code, stdout: done.stdout }).toEqual({
      code: 0,
      stdout: 'Two critical findings; nothing to document yet.\n',
    })
    expect(waves(box)).toHaveLength(1)
  }))

test.concurrent('code-assist: what blocks the builder is decided by the coordinator', () =>
  inTurn(async () => {
    await using box = sandbox()
    const blocked = { emit: { topic: 'build.blocked', payload: 'two files say the opposite' } }
    const done = await rehearse(box, 'code-assist', {
      builder: { turns: [[blocked], [{ emit: { topic: 'review.ready', payload: 'built' } }]] },
      '(coordinator)': [{ emit: { topic: 'tasks.ready', payload: 'the first file counts' } }],
      critic: [{ emit: { topic: 'review.passed', payload: 'holds' } }],
      finalizer: [{ emit: { topic: 'LOOP_COMPLETE', payload: 'all done' } }],
    })
    expect({ code: done.code, stdout: done.stdout }).toEqual({ code: 0, stdout: 'all done\n' })
    expect(acts(box, 'builder')).toBe(2)
  }))

test.concurrent('every preset validates, without a warning', async () => {
  await using box = sandbox()
  for (const name of Object.keys(builtinPresets)) {
    const { code, stdout, stderr } = await box.ralph(['hats', 'validate', '-H', `builtin:${name}`])
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' })
    expect(stdout).toMatch(/every event finds its way|no hats/)
  }
})

test.concurrent('the baseline without hats is listed only with --all, and found by its name', async () => {
  await using box = sandbox()
  const listed = async (...more: string[]): Promise<readonly string[]> => {
    const { stdout } = await box.ralph(['presets', '--json', ...more])
    return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
  }
  const all = Object.keys(builtinPresets)
  expect(await listed('--all')).toEqual(all)
  expect(await listed()).toEqual(all.filter((name) => name !== 'hatless-baseline'))
  expect((await box.ralph(['presets', 'show', 'hatless-baseline'])).stdout).toContain('hats: {}')
})

/** Runs a preset with the mock in a workspace of three small files; `script` says what some of its hats do. */
function rehearse(box: Sandbox, name: string, script: Record<string, unknown> = {}): Promise<Finished> {
  box.write('README.md', '# Shop\n\nKeeps a list of goods.\n')
  box.write('src/goods.txt', 'apple 1\npear 2\n')
  box.write('src/prices.txt', 'TODO: prices\n')
  configure(box, {
    cli: { backend: 'mock' },
    ...(Object.keys(script).length > 0 ? { adapters: { mock: { script: 'script.yml' } } } : {}),
  })
  configure(box, { hats: script }, 'script.yml')
  return box.ralph(['run', '-H', `builtin:${name}`, '-p', 'Look after the list of goods'])
}

interface Collection {
  readonly hats?: Readonly<Record<string, unknown>>
  readonly event_loop: { readonly completion_promise: string; readonly required_events?: readonly string[] }
}

function collection(name: string): Collection {
  return parse(builtinPresets[name] ?? '') as Collection
}

interface LedgerLine {
  readonly event: 'start' | 'end'
  readonly hats: readonly string[]
}

const starts = (box: Sandbox): readonly LedgerLine[] =>
  (box.rows(rundir(box, 'mock-ledger.jsonl')) as unknown as LedgerLine[]).filter(
    ({ event }) => event === 'start',
  )

/** The hats that played, workers included, each once. */
const playedHats = (box: Sandbox): readonly string[] =>
  [...new Set(starts(box).flatMap(({ hats }) => hats))].sort()

/** How often a hat was started. */
const acts = (box: Sandbox, hat: string): number =>
  starts(box).filter(({ hats }) => hats.includes(hat)).length
