import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JOURNAL_VERSION } from '../../../core/journal/journal.ts'
import { type JournalContent, readJournal } from '../../../core/journal/read.ts'
import { absorb } from '../../../core/run/absorb.ts'
import { foldJournal } from '../../../core/run/fold.ts'
import { narrate } from '../../../core/run/narrate.ts'
import type { State } from '../../../core/run/state.ts'
import type { RunEvent } from '../../../core/run-event.ts'
import { countStatuses } from '../../../core/wave/gate.ts'
import type { Wave } from '../../../core/wave/wave.ts'

/** Journals of runs of this program, kept as they were written but for their paths: a newer program folds older runs. */
const FOLDER = join(import.meta.dir, '../../fixtures/journals')

const RUNS = [
  { name: 'plain-wave', statuses: { ok: 3 }, timedOut: false, result: 'all done' },
  {
    name: 'partial-failure',
    statuses: { ok: 1, failed: 1, partial: 1 },
    timedOut: false,
    result: 'two of three',
  },
  { name: 'timeout', statuses: { ok: 1, timeout: 3 }, timedOut: true, result: 'one of four' },
  { name: 'scatter-gather', statuses: { ok: 2 }, timedOut: false, result: 'undecided' },
] as const

/** Folds fact by fact, with what observers are told of each. */
function* steps(content: JournalContent): Generator<{ state: State; events: readonly RunEvent[] }> {
  const state = foldJournal({ ...content, facts: [] }, { dir: '/state/run' })
  for (const fact of content.facts) {
    absorb(state, fact)
    yield { state, events: narrate(state, fact, (blob) => ('inline' in blob ? blob.inline : blob.path)) }
  }
}

/** Every item is in exactly one place. */
function expectBalance(wave: Wave): void {
  expect(wave.queued + wave.runningCount + wave.waiting + wave.settled).toBe(wave.works.length)
  expect(wave.works.filter((work) => work.status === 'settled')).toHaveLength(wave.settled)
  expect(wave.works.filter((work) => work.outcome !== null)).toHaveLength(wave.settled)
}

describe.each(RUNS)('the recorded run $name', ({ name, statuses, timedOut, result }) => {
  const content = readJournal(join(FOLDER, `${name}.jsonl`))

  test('folds back step by step, with every item in exactly one place', () => {
    const waves = new Map<string, Wave>()
    let last: State | null = null
    for (const { state } of steps(content)) {
      for (const wave of state.waves.values()) {
        expectBalance(wave)
        waves.set(wave.id, wave)
      }
      last = state
    }
    expect([...waves.values()].map(countStatuses)).toEqual([statuses])
    expect(last?.ended).toBe('completed')
  })

  test('tells observers the same story again', () => {
    const events = [...steps(content)].flatMap((step) => step.events)
    expect(events.at(0)?.type).toBe('loop_started')
    expect(events.filter((event) => event.type === 'wave_completed')).toMatchObject([
      { statuses, timed_out: timedOut },
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'loop_terminated',
      reason: 'completed',
      exit_code: 0,
      result,
    })
  })
})

describe('a journal', () => {
  const lines = readFileSync(join(FOLDER, 'plain-wave.jsonl'), 'utf8')

  function withJournal(text: string, check: (path: string) => void): void {
    const dir = mkdtempSync(join(tmpdir(), 'ralph-test-'))
    try {
      const path = join(dir, 'journal.jsonl')
      writeFileSync(path, text)
      check(path)
    } finally {
      rmSync(dir, { recursive: true })
    }
  }

  test('of a newer format is refused, and the message names both versions', () => {
    const newer = lines.replace(`{"v":${JOURNAL_VERSION},`, `{"v":${JOURNAL_VERSION + 1},`)
    withJournal(newer, (path) => {
      expect(() => readJournal(path)).toThrow(
        `in format ${JOURNAL_VERSION + 1}; this program reads formats up to ${JOURNAL_VERSION}`,
      )
    })
  })

  test('with a torn last record gives all before it', () => {
    withJournal(`${lines}{"type":"run.en`, (path) => {
      const content = readJournal(path)
      expect(content.isTorn).toBe(true)
      expect(content.facts).toHaveLength(lines.trimEnd().split('\n').length - 1)
    })
  })

  test('with a bad line names it, and the next good one counts', () => {
    const broken = lines.replace('\n', '\n{oops\n')
    withJournal(broken, (path) => {
      const content = readJournal(path)
      expect(content.badLines).toEqual([2])
      expect(content.facts).toHaveLength(lines.trimEnd().split('\n').length - 1)
    })
  })

  test.each([
    ['is empty', ''],
    ['is no journal', '{"topic":"x"}\n'],
    ['is binary', '\u0000\u0001\n'],
  ])('that %s is refused', (_, text) => {
    withJournal(text, (path) => expect(() => readJournal(path)).toThrow('not the journal of a run'))
  })
})
