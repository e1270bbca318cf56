import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseEventBlocks } from '../../core/agent/event-blocks.ts'
import { createLineSplitter } from '../../core/agent/lines.ts'
import { type AgentEvent, FAILURE_CLASSES, type Say } from '../../core/backend/contract.ts'
import { defineBackend } from '../../core/backend/define.ts'
import { builtins } from '../../plugins/index.ts'
import { ended, TASK } from '../plugins/replay.ts'
import { anyText, damage, holds, jsonWith } from './property.ts'

const backends = await Promise.all(
  Object.entries(builtins).map(async ([name, { load }]) => ({
    name,
    backend: defineBackend((await load()).default),
  })),
)

/** Records that the programs really printed. */
function recorded(name: string): readonly Buffer[] {
  const folder = join(import.meta.dir, '../fixtures/streams', name)
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((file) => file.endsWith('.stdout.jsonl'))
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  return lines.filter((line) => line !== '' && line.length < 4000).map((line) => Buffer.from(line))
}

/** Names and words that streams use, so that random JSON reaches deep. */
function wordsOf(lines: readonly Buffer[]): readonly string[] {
  const words = lines.flatMap((line) =>
    [...line.toString().matchAll(/"([A-Za-z_.]{2,30})"/g)].map(([, word]) => word ?? ''),
  )
  return ['type', 'text', 'result', ...new Set(words)].slice(0, 300)
}

const end = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((code) => ended(code)),
  fc.constantFrom('SIGKILL', 'SIGTERM').map((signal) => ended(signal)),
)

describe.each(backends)('the reader of $name', ({ name, backend }) => {
  const lines = recorded(name)
  const noise = fc.oneof(
    anyText,
    jsonWith(wordsOf(lines)).map((value) => JSON.stringify(value) ?? ''),
    ...(lines.length === 0
      ? []
      : [
          fc.constantFrom(...lines).map((line) => line.toString()),
          fc
            .tuple(fc.constantFrom(...lines), damage)
            .map(([line, harm]) => Buffer.from(harm(line)).toString()),
        ]),
  )

  test('never throws, says only what there is to say, and judges in the end', () =>
    holds(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('out' as const, 'err' as const), noise), { maxLength: 25 }),
        end,
        (stream, how) => {
          const session = backend.open({ ...TASK, command: 'agent' })
          const says: Say[] = [...session.start()]
          for (const [from, text] of stream) says.push(...session.line(from, text))
          const last = session.end(how)
          for (const say of [...says, ...last.says]) if ('event' in say) checkEvent(say.event)
          const { verdict } = last
          expect(['ok', 'failed']).toContain(verdict.ok ? 'ok' : 'failed')
          if (!verdict.ok) {
            expect(FAILURE_CLASSES).toContain(verdict.class)
            expect(verdict.message).not.toBe('')
          }
        },
      ),
      400,
    ))
})

function checkEvent(event: AgentEvent): void {
  switch (event.type) {
    case 'usage':
      for (const count of Object.values(event.usage)) expect(isCount(count)).toBe(true)
      break
    case 'cost':
      expect(isCount(event.usd)).toBe(true)
      break
    case 'turns':
    case 'open':
      expect(isCount('turns' in event ? event.turns : event.count)).toBe(true)
      break
    case 'text':
    case 'thinking':
    case 'final':
      expect(typeof event.text).toBe('string')
      break
    case 'error':
      expect(FAILURE_CLASSES).toContain(event.class)
      break
    default:
      break
  }
}

function isCount(value: number): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

test('lines of an agent are the same whatever the pieces in which they came', () =>
  holds(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(200), { maxLength: 8 }), (bytes, cuts) => {
      const split = (pieces: readonly Uint8Array[]): string[] => {
        const splitter = createLineSplitter()
        return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
      }
      const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
      const pieces = [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length))
      expect(split(pieces)).toEqual(split([bytes]))
    }),
    1000,
  ))

test('text with anything in it gives events or stays text: blocks never throw', () =>
  holds(
    fc.property(
      fc.array(
        fc.oneof(anyText, fc.constantFrom('<event topic="a.b">', '</event>', '<event', 'topic="', '">')),
      ),
      (parts) => {
        const { events, rest } = parseEventBlocks(parts.join(''))
        for (const event of events) expect(event.topic).not.toBe('')
        expect(typeof rest).toBe('string')
      },
    ),
    1000,
  ))
