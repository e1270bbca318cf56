import { afterAll, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type EventsRead, EventsReader } from '../../core/events-file/reader.ts'
import { formatRecord, parseRecord } from '../../core/events-file/record.ts'
import { topicFault } from '../../core/topic.ts'
import { anyText, damage, holds, jsonWith } from './property.ts'

const folder = mkdtempSync(join(tmpdir(), 'ralph-fuzz-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

const FIELDS = [
  'topic',
  'payload',
  'ts',
  'agent',
  'hat',
  'wave_id',
  'wave_index',
  'wave_total',
  'wave_status',
]
const topic = fc.oneof(
  fc.constantFrom('a.b', 'item.done', 'human.guidance'),
  anyText.filter((text) => topicFault(text) === null),
)

const record = fc
  .record({ topic, payload: anyText, index: fc.integer({ min: 0, max: 2 ** 32 - 1 }) })
  .map((of) => ({
    ...of,
    line: formatRecord({
      topic: of.topic,
      payload: of.payload,
      ts: 't',
      agent: 'r:1',
      wave: { id: 'w', index: of.index },
    }),
  }))

/** Lines of every kind: records, JSON of any shape, and bytes. Without a newline inside. */
const line: fc.Arbitrary<Uint8Array> = fc
  .oneof(
    record.map(({ line }) => Buffer.from(line.trimEnd())),
    jsonWith(FIELDS).map((value) => Buffer.from(JSON.stringify(value) ?? '')),
    fc.uint8Array({ maxLength: 60 }),
    fc.tuple(record, damage).map(([{ line }, harm]) => harm(Buffer.from(line.trimEnd()))),
  )
  .map((bytes) => bytes.filter((byte) => byte !== 10))

/** Reads a file while it grows by these pieces, and closes its last line at the end. */
function readGrowing(pieces: readonly Uint8Array[]): Pick<EventsRead, 'events' | 'bad' | 'offset'> {
  const path = join(folder, `${files++}.jsonl`)
  writeFileSync(path, '')
  using reader = new EventsReader(path)
  const reads = pieces.map((piece) => {
    appendFileSync(path, piece)
    return reader.read()
  })
  const last = reader.read({ closeLine: true })
  rmSync(path)
  const all = [...reads, last]
  return {
    events: all.flatMap((read) => read.events),
    bad: all.flatMap((read) => read.bad),
    offset: last.offset,
  }
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length))
}

describe('the events reader, on any bytes', () => {
  test('gives the same whatever the pieces in which they were written', () =>
    holds(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.array(fc.nat(2000), { maxLength: 8 }),
        (lines, cuts) => {
          const bytes = Buffer.concat(lines.flatMap((one) => [one, Buffer.from('\n')]))
          expect(readGrowing(cutAt(bytes, cuts))).toEqual(readGrowing([bytes]))
        },
      ),
      300,
    ))

  test('passes no line over in silence: each is an event, bad, blank, or a row of the loop', () =>
    holds(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const bytes = Buffer.concat(lines.flatMap((one) => [one, Buffer.from('\n')]))
        const { events, bad, offset } = readGrowing([bytes])
        const texts = lines.map((one) => new TextDecoder().decode(one).replace(/\r$/, ''))
        const quiet = texts.filter((text) => text.trim() === '' || parseRecord(text).kind === 'skip')
        expect(events.length + bad.length + quiet.length).toBe(lines.length)
        expect(offset).toBe(bytes.length)
      }),
      300,
    ))

  test('reads every record between them whole', () =>
    holds(
      fc.property(fc.array(fc.tuple(line, record), { maxLength: 8 }), (pairs) => {
        const bytes = Buffer.concat(pairs.flatMap(([noise, { line }]) => [noise, Buffer.from(`\n${line}`)]))
        const { events } = readGrowing([bytes])
        const wanted = pairs
          .map(([, one]) => one)
          .filter((one) => parseRecord(one.line.trimEnd()).kind === 'event')
        for (const one of wanted) {
          const isThere = events.some(
            (event) => event.topic === one.topic && event.payload === one.payload && event.wave?.id === 'w',
          )
          expect(isThere).toBe(true)
        }
      }),
      300,
    ))

  test('gives back what was written as a record', () =>
    holds(
      fc.property(topic, anyText, jsonWith(FIELDS), (name, payload, value) => {
        const text = formatRecord({ topic: name, payload, ts: 't' })
        expect(text.indexOf('\n')).toBe(text.length - 1)
        const read = parseRecord(text.trimEnd())
        if (read.kind === 'event') expect(read.event.payload).toBe(payload)
        const json = JSON.stringify(value)
        const stored = parseRecord(
          formatRecord({ topic: name, payload: { json: `  ${json} ` }, ts: 't' }).trimEnd(),
        )
        const wanted = typeof value === 'string' ? value : json === 'null' ? '' : json
        if (stored.kind === 'event') expect(stored.event.payload).toBe(wanted)
      }),
      1000,
    ))
})
