import { describe, expect, test } from 'bun:test'
import type { AgentEvent, ProcessEnd } from '../../core/backend/contract.ts'
import { MAX_KEPT } from '../../core/backend/kept-text.ts'
import { type Fields, fieldsOf, numberOf, textOf } from '../../plugins/record.ts'
import { type Capture, type Heard, hear, linesOf, READERS, settled } from './captured.ts'
import { kindOf, recordsIn, TELLS_NOTHING } from './kinds.ts'
import { ended, TASK } from './replay.ts'

/** Up to this size a stream is split at every byte. */
const SMALL = 4096

/** What is between records and is none of them. */
const NOISE = [
  '',
  'a word of a library',
  '{"type":"never heard of","text":"x","message":{"content":[{"type":"text","text":"x"}]}}',
  '{"type":"system","subtype":"never heard of"}',
  '{broken',
  '[1,"two",null]',
  '\u001b[31mred\u001b[0m \u0000',
  '\ufffd',
]

describe.each(READERS)('captured streams of $name', ({ name, backend, captures }) => {
  const whole = (one: Capture): Heard => hear(backend, { out: [one.out], err: one.err, end: one.end })

  test('end as they ended', () => {
    for (const one of captures) expect([one.name, verdictOf(whole(one))]).toEqual([one.name, one.verdict])
  })

  test('give the same lines wherever they are split', () => {
    for (const { name, out } of captures) {
      const wanted = linesOf([out])
      for (const at of places(out)) {
        if (!Bun.deepEquals(linesOf([out.subarray(0, at), out.subarray(at)]), wanted)) {
          throw new Error(`${name}: split at byte ${at}`)
        }
      }
    }
  })

  test('tell the same byte by byte', () => {
    for (const one of captures) {
      const bytes = Array.from(one.out, (byte) => Uint8Array.of(byte))
      same(one, hear(backend, { out: bytes, err: one.err, end: one.end }), whole(one))
    }
  })

  test('tell the same with CRLF', () => {
    const crlf = (text: Buffer): Buffer => Buffer.from(text.toString().replaceAll('\n', '\r\n'))
    for (const one of captures) {
      same(one, hear(backend, { out: [crlf(one.out)], err: crlf(one.err), end: one.end }), whole(one))
    }
  })

  test('tell the same after a mark of the byte order', () => {
    const mark = Buffer.from('\ufeff')
    for (const one of captures.filter(speaks)) {
      same(one, hear(backend, { out: [mark, one.out], err: one.err, end: one.end }), whole(one))
    }
  })

  test('lose nothing to bytes that are no UTF-8: in their place stands U+FFFD', () => {
    let spoiled = 0
    for (const one of captures) {
      const before = whole(one)
      const word = textIn(before.events)
      if (word === null) continue
      const heard = hear(backend, {
        out: [replaced(one.out, word, Buffer.of(0xff))],
        err: one.err,
        end: one.end,
      })
      const wanted = hear(backend, {
        out: [replaced(one.out, word, Buffer.from('\ufffd'))],
        err: one.err,
        end: one.end,
      })
      same(one, heard, wanted)
      expect([one.name, heard.events.length]).toEqual([one.name, before.events.length])
      expect(JSON.stringify(heard.events)).toContain('\ufffd')
      spoiled += 1
    }
    expect(spoiled).toBeGreaterThan(captures.length / 4)
  })

  test('lose nothing to unknown records and other noise between their lines', () => {
    for (const one of captures.filter(speaks)) {
      const lines = one.out.toString().replace(/\n$/, '').split('\n')
      const noisy = ['', ...lines].flatMap((line, i) => [
        ...(i === 0 ? [] : [line]),
        NOISE[i % NOISE.length] ?? '',
      ])
      const heard = hear(backend, { out: [Buffer.from(noisy.join('\n'))], err: one.err, end: one.end })
      same(one, heard, whole(one))
    }
  })

  test('are a success only with their last record and a clean end, wherever they are cut', () => {
    for (const one of captures) {
      for (const at of cuts(one.out)) {
        const out = one.out.subarray(0, at)
        const judged = (end: ProcessEnd): string =>
          verdictOf(
            hear(backend, { out: [out], err: one.err, end: { ...end, stderrTail: one.end.stderrTail } }),
          )
        const finished = isFinished(name, out)
        const clean = judged(ended(0))
        if (clean === 'ok' && !finished) throw new Error(`${one.name}: ok, cut at byte ${at}`)
        if (clean !== 'ok' && finished && one.verdict === 'ok')
          throw new Error(`${one.name}: ${clean}, though all is there by byte ${at}`)
        expect(judged(ended(1))).not.toBe('ok')
        expect(judged(ended('SIGKILL'))).not.toBe('ok')
        if (!finished) expect(judged(ended('SIGTERM', { stoppedByUs: true }))).not.toBe('ok')
      }
    }
  })

  test('are read behind a line of 20 MB, be it noise or an unknown record', () => {
    const one = spoken(captures)
    const at = one.out.indexOf('\n') + 1
    const filler = Buffer.alloc(20_000_000, 0x79)
    for (const line of [
      [filler],
      [Buffer.from('{"type":"never heard of","text":"'), filler, Buffer.from('"}')],
    ]) {
      const out = inPieces(
        Buffer.concat([one.out.subarray(0, at), ...line, Buffer.from('\n'), one.out.subarray(at)]),
      )
      same(one, hear(backend, { out, err: one.err, end: one.end }), whole(one))
    }
  })

  test('are read with an output of a tool of 20 MB', () => {
    const outputs = (heard: Heard): readonly string[] =>
      heard.events.flatMap((event) => (event.type === 'tool_end' ? event.output : []))
    const one = captures.find((each) => each.verdict === 'ok' && /\w{4}/.test(outputs(whole(each))[0] ?? ''))
    if (one === undefined) throw new Error('no tool answered')
    const before = whole(one)
    const word = Buffer.from(JSON.stringify(outputs(before)[0]).slice(1, -1))
    const lines = one.out
      .toString()
      .split('\n')
      .map((line) => Buffer.from(`${line}\n`))
    const at = lines.findIndex(
      (_, i) => outputs(hear(backend, { out: lines.slice(0, i + 1), end: ended(0) })).length > 0,
    )
    const grown = lines.map((line, i) =>
      i === at ? replaced(line, word, Buffer.alloc(20_000_000, 0x79)) : line,
    )
    const heard = hear(backend, { out: inPieces(Buffer.concat(grown)), err: one.err, end: one.end })
    expect(outputs(heard)[0]?.length).toBeGreaterThan(20_000_000)
    expect([verdictOf(heard), finalOf(heard)]).toEqual(['ok', finalOf(before)])
  })

  test('have no kind of record that is neither read nor left out for a reason', () => {
    const told = new Set<string>()
    const all = new Set<string>()
    for (const one of captures) {
      const lines = one.out.toString().split('\n')
      const by = (upTo: number): Heard =>
        hear(backend, {
          out: [Buffer.from(lines.slice(0, upTo).join('\n'))],
          err: one.err,
          end: ended(0),
        })
      const without = (kind: string): Heard =>
        hear(backend, {
          out: [Buffer.from(lines.filter((line) => !recordsIn(line).map(kindOf).includes(kind)).join('\n'))],
          err: one.err,
          end: one.end,
        })
      let before = by(0)
      for (const [i, line] of lines.entries()) {
        const now = by(i + 1)
        const [kind, ...more] = new Set(recordsIn(line).map(kindOf))
        if (kind !== undefined) all.add(kind)
        if (kind !== undefined && more.length === 0 && !alike(before, now)) told.add(kind)
        before = now
      }
      for (const kind of all) if (!told.has(kind) && !alike(without(kind), whole(one))) told.add(kind)
    }
    expect([...all].filter((kind) => !told.has(kind)).sort()).toEqual(
      Object.keys(TELLS_NOTHING[name] ?? {}).sort(),
    )
  })
})

describe('a program that never says anything as an assistant', () => {
  test.each(READERS)(
    '$name: of its output, both ends are its final message, and the cut is said',
    (reader) => {
      const { backend } = reader
      const session = backend.open(TASK)
      session.line('out', 'the first line')
      const line = 'z'.repeat(1_000_000)
      for (let n = 0; n < 70; n++) session.line('out', line)
      for (const last of ENDINGS[reader.name] ?? []) session.line('out', last)
      const { says, verdict } = session.end(ended(0))
      const [final = '', ...more] = says.flatMap((say) =>
        'event' in say && say.event.type === 'final' ? say.event.text : [],
      )
      expect([verdict.ok, more, final.length < MAX_KEPT + 100]).toEqual([true, [], true])
      expect(final.slice(0, 20)).toStartWith('the first line\nz')
      expect(/z\n\[cut: \d+ characters\]\nz/.test(final)).toBe(true)
      expect(final.slice(-100)).toContain(`zz\n${(ENDINGS[reader.name]?.[0] ?? '').slice(0, -1)}`)
    },
  )
})

test('a second turn that was cut off is no success, whatever the first one said', () => {
  for (const reader of READERS.filter(({ name }) => name === 'claude')) {
    const one = reader.captures.find(({ name }) => name === 'bglong')
    const lines = one?.out.toString().trimEnd().split('\n') ?? []
    const results = lines.flatMap((line, i) => (/"type":"result"/.test(line) ? [i] : []))
    const inits = lines.flatMap((line, i) => (/"subtype":"init"/.test(line) ? [i] : []))
    expect([results.length, inits.length]).toEqual([2, 2])
    const upTo = (at: number): string =>
      verdictOf(hear(reader.backend, { out: [Buffer.from(lines.slice(0, at).join('\n'))], end: ended(0) }))
    expect(upTo((results[0] ?? 0) + 1)).toBe('ok')
    expect(upTo((inits[1] ?? 0) + 1)).toBe('unknown')
    expect(upTo(lines.length)).toBe('ok')
  }
})

test('another model than the one that was asked for is told of', () => {
  const claude = READERS.find(({ name }) => name === 'claude')
  const one = claude?.captures.find(({ name }) => name === 'fallback')
  if (claude === undefined || one === undefined) throw new Error('no such capture')
  const { events } = hear(claude.backend, { out: [one.out], end: one.end })
  expect(events).toContainEqual({
    type: 'error',
    class: 'model',
    message: expect.stringContaining('claude-sonnet-4-5 → claude-haiku-4-5'),
  })
})

function verdictOf({ verdict }: Heard): string {
  return verdict.ok ? 'ok' : verdict.class
}

function finalOf({ events }: Heard): string | undefined {
  return events.flatMap((event) => (event.type === 'final' ? event.text : [])).at(-1)
}

function alike(a: Heard, b: Heard): boolean {
  return Bun.deepEquals([settled(a.events), a.verdict], [settled(b.events), b.verdict])
}

function same(one: Capture, heard: Heard, wanted: Heard): void {
  expect([one.name, settled(heard.events), heard.verdict]).toEqual([
    one.name,
    settled(wanted.events),
    wanted.verdict,
  ])
}

/** Its final message is told by a record, not by its output as a whole. */
function speaks({ out }: Capture): boolean {
  return recordsIn(out.toString().split('\n')[0] ?? '').length > 0
}

function spoken(captures: readonly Capture[]): Capture {
  const one = captures.find((each) => each.name === 'hello' && speaks(each))
  if (one === undefined) throw new Error('nothing was captured of "hello"')
  return one
}

/** Where a stream is split: everywhere, or in places of a large one and around each line end. */
function places(bytes: Buffer): readonly number[] {
  const all = Array.from({ length: bytes.length + 1 }, (_, at) => at)
  if (bytes.length <= SMALL) return all
  return all.filter(
    (at) => at % 101 === 0 || bytes[at] === 0x0a || bytes[at - 1] === 0x0a || isWide(bytes[at]),
  )
}

const isWide = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80

/** After each line, within each line's end, and in places between. */
function cuts(bytes: Buffer): readonly number[] {
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a)
  const some = [...bytes.keys()].filter((at) => at % 487 === 0)
  return [...new Set([0, ...some, ...ends.flatMap((at) => [at - 1, at, at + 1]), bytes.length])]
}

/** The last words of a success, told from the records alone. */
function isFinished(name: string, out: Buffer): boolean {
  const records = out.toString().split('\n').flatMap(recordsIn)
  return DONE[name]?.(records) ?? false
}

const last = (records: readonly Fields[], ...types: string[]): Fields | undefined =>
  records.findLast((record) => types.includes(textOf(record, 'type') ?? ''))

const turnDone = (records: readonly Fields[]): boolean => {
  const end = records.findLast((record) => record.type === 'result' || record.subtype === 'init')
  return end?.type === 'result' && end.is_error !== true
}

const DONE: Readonly<Record<string, (records: readonly Fields[]) => boolean>> = {
  claude: turnDone,
  qwen: turnDone,
  codex: (records) =>
    last(records, 'turn.started', 'turn.completed', 'turn.failed')?.type === 'turn.completed',
  copilot: (records) => numberOf(last(records, 'result') ?? {}, 'exitCode') === 0,
  gemini: (records) => last(records, 'result')?.status === 'success',
  opencode(records) {
    const end = last(records, 'step_start', 'step_finish', 'error')
    return end?.type === 'step_finish' && fieldsOf(end, 'part').reason === 'stop'
  },
  pi(records) {
    const end = last(records, 'agent_start', 'turn_start', 'agent_end')
    const message = records.findLast(
      (record) => record.type === 'message_end' && fieldsOf(record, 'message').role === 'assistant',
    )
    return end?.type === 'agent_end' && fieldsOf(message ?? {}, 'message').stopReason === 'stop'
  },
}

/** Records that make a success of a run in which no assistant spoke. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  claude: ['{"type":"result","subtype":"success","is_error":false}'],
  qwen: ['{"type":"result","subtype":"success","is_error":false}'],
  codex: ['{"type":"turn.completed"}'],
  copilot: ['{"type":"result","exitCode":0}'],
  gemini: ['{"type":"result","status":"success"}'],
  opencode: ['{"type":"step_finish","part":{"reason":"stop"}}'],
  pi: ['{"type":"message_end","message":{"role":"assistant","stopReason":"stop"}}', '{"type":"agent_end"}'],
}

/** A text that was said, as its bytes in the stream. */
function textIn(events: readonly AgentEvent[]): Buffer | null {
  const texts = events.flatMap((event) => (event.type === 'text' ? event.text : []))
  const text = texts.find((one) => one.length > 3)
  return text === undefined ? null : Buffer.from(JSON.stringify(text).slice(1, -1))
}

/** The same bytes with `more` behind each occurrence of `word`. */
function replaced(bytes: Buffer, word: Buffer, more: Buffer): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, from)) {
    const end = at + word.length
    pieces.push(bytes.subarray(from, end), more)
    from = end
  }
  return Buffer.concat([...pieces, bytes.subarray(from)])
}

/** As a pipe gives them. */
function inPieces(bytes: Buffer): readonly Uint8Array[] {
  const size = 65_536
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
}
