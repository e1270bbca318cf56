import { describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { writeRules } from '../../../core/events-file/rules.ts'
import { sandbox } from '../../helpers/sandbox.ts'

const FALLBACK = '.ralph/events.jsonl'

describe('ralph emit writes', () => {
  test('to the fallback without a marker, and says so on stdout alone (case 33)', async () => {
    await using box = sandbox()
    expect(await box.ralph(['emit', 't', 'p'])).toEqual({ code: 0, stdout: 'Event emitted: t\n', stderr: '' })
    const rows = box.rows(FALLBACK)
    expect(rows).toEqual([{ topic: 't', payload: 'p', ts: expect.stringMatching(/^\d{4}-.*\+00:00$/) }])
  })

  test('to the marked file, also from a subdirectory (cases 33, 35)', async () => {
    await using box = sandbox()
    box.write('.ralph/current-events', '.ralph/events-1.jsonl\n')
    box.write('sub/x', '')
    await box.ralph(['emit', 'a'])
    await box.ralph(['emit', 'b'], { cwd: box.path('sub') })
    expect(box.rows('.ralph/events-1.jsonl').map(({ topic }) => topic)).toEqual(['a', 'b'])
    expect(box.exists(FALLBACK)).toBe(false)
    expect(box.exists('sub/.ralph')).toBe(false)
  })

  test('to RALPH_EVENTS_FILE, whatever --file says (case 35)', async () => {
    await using box = sandbox()
    const { code, stderr } = await box.ralph(['emit', 't', '--file', 'G'], {
      env: { RALPH_EVENTS_FILE: box.path('new/F') },
    })
    expect(code).toBe(0)
    expect(stderr).toContain('--payload-file')
    expect(box.rows('new/F')).toHaveLength(1)
    expect(box.exists('G')).toBe(false)
  })

  test('to --file before the marker (case 35)', async () => {
    await using box = sandbox()
    box.write('.ralph/current-events', '.ralph/events-1.jsonl\n')
    await box.ralph(['emit', 't', '--file=G'])
    expect(box.rows('G')).toHaveLength(1)
    expect(box.exists('.ralph/events-1.jsonl')).toBe(false)
  })

  test('inside .ralph/ only, where a marker leads out', async () => {
    await using box = sandbox()
    box.write('.ralph/current-events', '../stolen.jsonl')
    const { code, stderr } = await box.ralph(['emit', 't'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('current-events is ignored')])
    expect(box.rows(FALLBACK)).toHaveLength(1)
  })

  test('through no link in place of the events file', async () => {
    await using box = sandbox()
    box.write('.ralph/x', '')
    box.write('victim', '')
    symlinkSync(box.path('victim'), box.path(FALLBACK))
    const { code, stdout, stderr } = await box.ralph(['emit', 't'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toStartWith('Error: cannot write ')
    expect(box.read('victim')).toBe('')
  })
})

describe('the payload', () => {
  test.each([
    ['text with quotes, newlines and emoji', ['a "b"\n🙂'], 'a "b"\n🙂'],
    ['none', [], null],
    ['an empty argument', [''], null],
    ['a list item', ['- a'], '- a'],
    ['a word like a flag', ['--zzz'], '--zzz'],
    ['a flag after --', ['--', '--json'], '--json'],
    ['a dash after --', ['--', '-'], '-'],
    ['JSON without --json is text', ['{"a":1}'], '{"a":1}'],
    ['an object with --json', ['{"a":1}', '--json'], { a: 1 }],
    ['a number with -j', ['-j', '5'], 5],
    ['an array', ['[1]', '--json'], [1]],
    ['--json without a payload', ['--json'], null],
  ])('%s (cases 34, 37, 155)', async (_, words, payload) => {
    await using box = sandbox()
    expect((await box.ralph(['emit', 't', ...words])).code).toBe(0)
    expect(box.rows(FALLBACK)[0]).toMatchObject({ payload })
  })

  test('that is no JSON is refused, and nothing is written (case 34)', async () => {
    await using box = sandbox()
    const { code, stdout, stderr } = await box.ralph(['emit', 't', '{x', '--json'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toStartWith('Error: Invalid JSON payload')
    expect(box.exists('.ralph')).toBe(false)
  })

  test.each([
    ['a pipe', 'printf "x\\ny\\n" | "$RALPH_BIN" emit t', 'x\ny'],
    ['a pipe that comes late, with --stdin', '(sleep 0.6; printf x) | "$RALPH_BIN" emit t --stdin', 'x'],
    ['a file on stdin', '"$RALPH_BIN" emit t <f', 'one\n\ntwo'],
    ['what is left of a file on stdin', '{ read -r x; "$RALPH_BIN" emit t; } <f', '\ntwo'],
    ['a lone dash', '"$RALPH_BIN" emit t - <f', 'one\n\ntwo'],
    ['--payload-file', '"$RALPH_BIN" emit t --payload-file f', 'one\n\ntwo'],
    ['an empty pipe', ': | "$RALPH_BIN" emit t', null],
    ['JSON from a pipe', 'echo "{}" | "$RALPH_BIN" emit t --json', {}],
    ['no stdin at all', '"$RALPH_BIN" emit t <&-', null],
    ['an argument leaves stdin alone', 'printf "rest" | { "$RALPH_BIN" emit t p; cat >left; }', 'p'],
    [
      'a heredoc that the shell leaves alone',
      '"$RALPH_BIN" emit t --stdin <<\'E\'\n`pwd` $(touch pwned) "$HOME"\nE',
      '`pwd` $(touch pwned) "$HOME"',
    ],
  ])('from %s (cases 37, 155, 156)', async (_, command, payload) => {
    await using box = sandbox()
    box.write('f', 'one\n\ntwo\n')
    const { code, stderr } = await box.sh(command)
    expect([code, stderr]).toEqual([0, ''])
    expect(box.rows(FALLBACK)[0]).toMatchObject({ payload })
    expect(box.exists('pwned')).toBe(false)
  })

  test('of a pipe that stays open and silent is not waited for (case 156)', async () => {
    await using box = sandbox()
    const started = performance.now()
    const { stderr } = await box.sh('mkfifo p; exec 3<>p; "$RALPH_BIN" emit t <&3')
    expect(performance.now() - started).toBeLessThan(1000)
    expect(box.rows(FALLBACK)[0]).toMatchObject({ payload: null })
    expect(stderr).toContain('--stdin')
  })

  test.each([
    [['p', '--stdin']],
    [['-', '--payload-file', 'f']],
    [['--stdin', '--payload-file', 'f']],
    [['p', 'q']],
    [['p', '--', 'q']],
  ])('has one source: %j (case 155)', async (words) => {
    await using box = sandbox()
    box.write('f', 'x')
    expect((await box.ralph(['emit', 't', ...words])).code).toBe(2)
    expect(box.exists('.ralph')).toBe(false)
  })

  test('from a file that is not there is an error', async () => {
    await using box = sandbox()
    const { code, stderr } = await box.ralph(['emit', 't', '--payload-file', 'nope'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot read nope')])
  })
})

test.each([[[]], [['a b']], [['a\tb']], [['x'.repeat(201)]], [['']], [['--zzz', 't']], [['t', '--ts']]])(
  'a command line that makes no sense exits 2 and writes nothing: %j (cases 37, 158)',
  async (words) => {
    await using box = sandbox()
    const { code, stdout, stderr } = await box.ralph(['emit', ...words])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toStartWith('Error: ')
    expect(box.exists('.ralph')).toBe(false)
  },
)

test('--ts is kept as given', async () => {
  await using box = sandbox()
  await box.ralph(['emit', 't', '--ts', 'noon'])
  expect(box.rows(FALLBACK)[0]).toMatchObject({ ts: 'noon' })
})

test.each([
  ['always', {}, '\x1b[32m✓\x1b[39m Event emitted: t\n'],
  ['always', { NO_COLOR: '1' }, 'Event emitted: t\n'],
  ['never', { FORCE_COLOR: '1' }, 'Event emitted: t\n'],
])('--color %s with %j', async (when, env, stdout) => {
  await using box = sandbox()
  expect((await box.ralph(['emit', 't', '--color', when], { env })).stdout).toBe(stdout)
})

describe('tags', () => {
  test('a worker’s line carries wave, index and agent, never a total (case 36)', async () => {
    await using box = sandbox()
    await box.ralph(['emit', 't'], {
      env: { RALPH_WAVE_ID: 'w-1', RALPH_WAVE_INDEX: '2', RALPH_AGENT: 'r:7' },
    })
    const [row] = box.rows(FALLBACK)
    expect(row).toMatchObject({ wave_id: 'w-1', wave_index: 2, agent: 'r:7' })
    expect(row).not.toHaveProperty('wave_total')
  })

  test.each([
    [{ RALPH_WAVE_ID: 'w-1' }],
    [{ RALPH_WAVE_INDEX: '2' }],
    [{ RALPH_WAVE_ID: 'w-1', RALPH_WAVE_INDEX: 'x' }],
    [{ RALPH_WAVE_ID: 'w-1', RALPH_WAVE_INDEX: '4294967296' }],
  ])('half a tag is none: %j (case 36)', async (env) => {
    await using box = sandbox()
    expect((await box.ralph(['emit', 't'], { env })).code).toBe(0)
    expect(Object.keys(box.rows(FALLBACK)[0] ?? {})).toEqual(['topic', 'payload', 'ts'])
  })

  test.skipIf(process.platform !== 'linux')(
    'an agent is known though its tool dropped the environment',
    async () => {
      await using box = sandbox()
      box.write('.ralph/current-events', '.ralph/events-1.jsonl\n')
      const emit = 'env -i "$RALPH_BIN" emit t p; :'
      await box.sh(emit, { env: { RALPH_AGENT: 'run-1:3' } })
      expect(box.rows('.ralph/events-1.jsonl')[0]).toMatchObject({ agent: 'run-1:3' })
    },
  )
})

describe('a worker with rules', () => {
  const rules = { hat: 'work', allowed: ['item.done'], refused: ['LOOP_COMPLETE', 'human.*'] }
  const env = (file: string) => ({ RALPH_EVENTS_FILE: file, RALPH_WAVE_ID: 'w', RALPH_WAVE_INDEX: '0' })

  test('may emit what they allow', async () => {
    await using box = sandbox()
    const file = box.path('.ralph/wave-w-0.jsonl')
    writeRules(file, rules)
    expect((await box.ralph(['emit', 'item.done', 'r'], { env: env(file) })).code).toBe(0)
    expect(box.rows('.ralph/wave-w-0.jsonl')).toMatchObject([{ topic: 'item.done', payload: 'r' }])
  })

  test.each([['zzz'], ['LOOP_COMPLETE'], ['human.guidance']])(
    'is refused %s, and the attempt is recorded',
    async (topic) => {
      await using box = sandbox()
      const file = box.path('.ralph/wave-w-0.jsonl')
      writeRules(file, rules)
      const { code, stdout, stderr } = await box.ralph(['emit', topic, 'secret'], { env: env(file) })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('item.done')
      expect(box.rows('.ralph/wave-w-0.jsonl')).toEqual([
        { topic: 'wave.topic_refused', payload: topic, ts: expect.any(String), wave_id: 'w', wave_index: 0 },
      ])
    },
  )
})

test('two writers of a thousand lines at once never mix them (case 38)', async () => {
  await using box = sandbox()
  const loop = 'for i in $(seq 1000); do "$RALPH_BIN" emit t "$W-$i" >/dev/null; done'
  const [a, b] = await Promise.all([box.sh(loop, { env: { W: 'a' } }), box.sh(loop, { env: { W: 'b' } })])
  expect([a.code, b.code]).toEqual([0, 0])
  const payloads = box.rows(FALLBACK).map(({ payload }) => payload as string)
  for (const writer of ['a', 'b']) {
    const own = payloads.filter((payload) => payload.startsWith(`${writer}-`))
    expect(own).toEqual(Array.from({ length: 1000 }, (_, i) => `${writer}-${i + 1}`))
  }
})

test('an emit after a torn line starts on its own line (case 50)', async () => {
  await using box = sandbox()
  box.write(FALLBACK, '{"topic":"torn"')
  await box.ralph(['emit', 't'])
  expect(box.read(FALLBACK).split('\n')).toEqual(['{"topic":"torn"', expect.stringContaining('"t"'), ''])
})
