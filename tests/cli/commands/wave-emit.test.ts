import { describe, expect, test } from 'bun:test'
import { type RunOptions, type Sandbox, sandbox } from '../../helpers/sandbox.ts'

const FALLBACK = '.ralph/events.jsonl'

const dispatch = (box: Sandbox, words: readonly string[], options: RunOptions = {}) =>
  box.ralph(['wave', 'emit', ...words], options)

test('ralph wave emit writes one line an item, tells the id on stdout and the rest on stderr (case 39)', async () => {
  await using box = sandbox()
  const { code, stdout, stderr } = await dispatch(box, ['t', '--payloads', 'a', 'b', 'c'], {
    env: { RALPH_AGENT: 'r:1' },
  })
  const id = stdout.trimEnd()
  expect(code).toBe(0)
  expect(stdout).toMatch(/^w-[0-9a-f]+-\d+-\d+\n$/)
  expect(stderr).toBe(`Wave dispatched: 3 events on topic 't' (wave ${id})\n`)
  const ts = box.rows(FALLBACK)[0]?.ts
  expect(box.rows(FALLBACK)).toEqual(
    ['a', 'b', 'c'].map((payload, index) => ({
      topic: 't',
      payload,
      ts,
      agent: 'r:1',
      wave_id: id,
      wave_index: index,
      wave_total: 3,
    })),
  )
})

describe('items from the command line', () => {
  test.each([
    ['repeated', ['t', '--payloads', 'a', '--payloads', 'b'], ['a', 'b']],
    ['an empty one', ['t', '--payloads', ''], ['']],
    ['a number stays text', ['t', '--payloads', '5'], ['5']],
    ['they may begin with a dash', ['t', '--payloads', '- a', '-x', '--foo'], ['- a', '-x', '--foo']],
    ['= makes anything a payload', ['t', '--payloads=-v'], ['-v']],
    ['words after -- are payloads', ['t', '--payloads', 'a', '--', '-v', '--stdin'], ['a', '-v', '--stdin']],
    ['only after --', ['t', '--', 'a'], ['a']],
    ['the topic may follow', ['--color', 'never', 't', '--payloads', 'a'], ['a']],
  ])('%s (cases 40, 41)', async (_, words, payloads) => {
    await using box = sandbox()
    expect((await dispatch(box, words)).code).toBe(0)
    expect(box.rows(FALLBACK).map(({ payload }) => payload)).toEqual(payloads)
  })

  test('may have topics of their own, and are numbered in order (case 42)', async () => {
    await using box = sandbox()
    const { stderr } = await dispatch(box, [
      't',
      '--event',
      'x.go=1',
      '--payloads',
      '2',
      '--event',
      'y.go=a=b',
    ])
    expect(stderr).toContain("3 events on topics 'x.go', 't', 'y.go'")
    expect(box.rows(FALLBACK)).toMatchObject([
      { topic: 'x.go', payload: '1', wave_index: 0 },
      { topic: 't', payload: '2', wave_index: 1 },
      { topic: 'y.go', payload: 'a=b', wave_index: 2, wave_total: 3 },
    ])
  })

  test('need no TOPIC if all have their own (case 42)', async () => {
    await using box = sandbox()
    expect((await dispatch(box, ['--event', 'x.go=1', '--event', 'y.go='])).code).toBe(0)
    expect(box.rows(FALLBACK).map(({ topic, payload }) => [topic, payload])).toEqual([
      ['x.go', '1'],
      ['y.go', ''],
    ])
  })
})

describe('items that are read', () => {
  test.each([
    ['lines of stdin', ['t', '--stdin'], 'a\n\nb\n', ['a', 'b']],
    ['NULs', ['t', '-0'], 'a\nb\0c\0', ['a\nb', 'c']],
    ['JSONL', ['t', '--jsonl'], '{"payload":{"k":1}}\n{"payload":"s"}\n', ['{"k":1}', 's']],
    ['they come last', ['t', '--stdin', '--payloads', 'x'], 'a\n', ['x', 'a']],
    ['a file of lines', ['t', '--payloads-file', 'f'], '', ['one', 'two']],
    ['a file with NULs', ['t', '--payloads-file', 'z', '-0'], 'not read', ['1', '2\n']],
  ])('%s (case 43)', async (_, words, stdin, payloads) => {
    await using box = sandbox()
    box.write('f', 'one\ntwo\n')
    box.write('z', '1\x002\n\x00')
    expect((await dispatch(box, words, { stdin })).code).toBe(0)
    expect(box.rows(FALLBACK).map(({ payload }) => payload)).toEqual(payloads)
  })

  test('may name their topics (case 43)', async () => {
    await using box = sandbox()
    const stdin = '{"topic":"x","payload":"1"}\n{"payload":"2"}\n'
    expect((await dispatch(box, ['t', '--jsonl'], { stdin })).code).toBe(0)
    expect(box.rows(FALLBACK).map(({ topic }) => topic)).toEqual(['x', 't'])
  })

  test('need a TOPIC if one of them has none', async () => {
    await using box = sandbox()
    const stdin = '{"topic":"x","payload":"1"}\n'
    expect((await dispatch(box, ['--jsonl'], { stdin })).code).toBe(0)
    expect((await dispatch(box, ['--jsonl'], { stdin: `${stdin}{"payload":"2"}\n` })).code).toBe(2)
    expect(box.rows(FALLBACK)).toHaveLength(1)
  })
})

describe('a command line that makes no sense exits 2 and writes nothing', () => {
  test.each([
    [[]],
    [['--payloads', 'a']],
    [['--stdin']],
    [['-0']],
    [['--event', 'x=1', '--stdin']],
    [['t', '--payloads']],
    [['--zzz', 't', '--payloads', 'a']],
    [['t', 'u', '--payloads', 'a']],
    [['a b', '--payloads', 'a']],
    [['t', '--event', 'x']],
    [['t', '--event', '=x']],
    [['t', '--event', 'a b=x']],
    [['t', '-0', '--jsonl']],
    [['t', '--stdin', '--payloads-file', 'f']],
  ])('%j (case 44)', async (words) => {
    await using box = sandbox()
    const { code, stdout } = await dispatch(box, words, { stdin: 'a\n' })
    expect([code, stdout]).toEqual([2, ''])
    expect(box.exists('.ralph')).toBe(false)
  })
})

describe('a wave that cannot be exits 1 and writes nothing', () => {
  test.each([
    ['no payload', ['t'], '', 'at least one payload'],
    ['an empty stdin', ['t', '--stdin'], '', 'at least one payload'],
    ['a bad line', ['t', '--jsonl'], '{"payload":""}\n\n{oops\n', 'line 3'],
    ['a bad topic in a line', ['t', '--jsonl'], '{"payload":""}\n{"topic":"a b","payload":""}\n', 'line 2'],
    ['a missing file', ['t', '--payloads-file', 'nope'], '', 'cannot read nope'],
  ])('%s (cases 44, 158)', async (_, words, stdin, message) => {
    await using box = sandbox()
    const { code, stdout, stderr } = await dispatch(box, words, { stdin })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
    expect(box.exists('.ralph')).toBe(false)
  })

  test('more items than the default limit (case 46)', async () => {
    await using box = sandbox()
    box.write('f', 'x\n'.repeat(101))
    const { code, stderr } = await dispatch(box, ['t', '--payloads-file', 'f'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/\b101\b.*\b100\b/)
    expect(box.exists('.ralph')).toBe(false)
  })

  test('more items than the config allows, from a subdirectory too (cases 46, 47)', async () => {
    await using box = sandbox()
    box.write('ralph.yml', 'features:\n  max_wave_items: 2\n')
    box.write('.git/x', '')
    box.write('sub/x', '')
    const inSub = { cwd: box.path('sub') }
    expect((await dispatch(box, ['t', '--payloads', 'a', 'b', 'c'], inSub)).code).toBe(1)
    expect(box.exists('.ralph')).toBe(false)
    expect((await dispatch(box, ['t', '--payloads', 'a', 'b'], inSub)).code).toBe(0)
    expect(box.rows(FALLBACK)).toHaveLength(2)
  })
})

describe('a wave worker', () => {
  test.each([['1'], ['0'], ['yes']])(
    'with RALPH_WAVE_WORKER=%s is refused, and the attempt is recorded (case 45)',
    async (mark) => {
      await using box = sandbox()
      const { code, stdout, stderr } = await dispatch(box, ['t', '--stdin'], {
        stdin: 'a\n',
        env: {
          RALPH_WAVE_WORKER: mark,
          RALPH_WAVE_ID: 'w-1',
          RALPH_WAVE_INDEX: '4',
          RALPH_EVENTS_FILE: box.path('F'),
        },
      })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('cannot dispatch waves')
      expect(stderr).toContain('ralph emit')
      expect(box.rows('F')).toEqual([
        { topic: 'wave.nested_refused', payload: 't', ts: expect.any(String), wave_id: 'w-1', wave_index: 4 },
      ])
    },
  )

  test('without an events file writes nothing (case 45)', async () => {
    await using box = sandbox()
    expect((await dispatch(box, ['t', '--payloads', 'a'], { env: { RALPH_WAVE_WORKER: '1' } })).code).toBe(1)
    expect(box.exists('.ralph')).toBe(false)
  })

  test('is told of a senseless command line first', async () => {
    await using box = sandbox()
    expect((await dispatch(box, ['--payloads', 'a'], { env: { RALPH_WAVE_WORKER: '1' } })).code).toBe(2)
  })

  test('is none with an empty variable (case 45)', async () => {
    await using box = sandbox()
    expect((await dispatch(box, ['t', '--payloads', 'a'], { env: { RALPH_WAVE_WORKER: '' } })).code).toBe(0)
  })
})

test('two dispatches at once keep their sets whole (case 47)', async () => {
  await using box = sandbox()
  box.write('.ralph/current-events', '.ralph/events-1.jsonl\n')
  box.write('ralph.yml', 'features: {max_wave_items: 200}\n')
  const payload = 'x'.repeat(2000)
  box.write('f', `${payload}\n`.repeat(200))
  const ids = await Promise.all(
    [1, 2].map(async () => (await dispatch(box, ['t', '--payloads-file', 'f'])).stdout.trimEnd()),
  )
  const rows = box.rows('.ralph/events-1.jsonl')
  expect(rows.map(({ wave_id }) => wave_id)).toEqual(
    [...ids]
      .sort((a, b) => (rows[0]?.wave_id === a ? -1 : rows[0]?.wave_id === b ? 1 : 0))
      .flatMap((id) => Array(200).fill(id)),
  )
  expect(rows.slice(0, 200).map(({ wave_index }) => wave_index)).toEqual(
    Array.from({ length: 200 }, (_, i) => i),
  )
})

test('colours are for those who ask', async () => {
  await using box = sandbox()
  const { stdout, stderr } = await dispatch(box, ['t', '--color', 'always', '--payloads', 'a'])
  expect(stdout).toMatch(/^w-/)
  expect(stderr).toStartWith('\x1b[32m✓\x1b[39m Wave dispatched: 1 events on topic')
})
