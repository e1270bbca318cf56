import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { EventsReader } from '../../../core/events-file/reader.ts'
import { folder } from './folder.ts'

const line = (topic: string, payload = '') => `${JSON.stringify({ topic, payload })}\n`

/** Topics of one read. */
const topics = (reader: EventsReader, options = {}) => reader.read(options).events.map(({ topic }) => topic)

test('a missing file is empty, and is read once it is there', () => {
  using at = folder()
  using reader = new EventsReader(at.path('e'))
  expect(reader.read()).toEqual({ events: [], bad: [], offset: 0, line: 1, restarted: false })
  writeFileSync(at.path('e'), line('a'))
  expect(topics(reader)).toEqual(['a'])
})

test('each read gives only what is new', () => {
  using at = folder()
  using reader = new EventsReader(at.path('e'))
  writeFileSync(at.path('e'), line('a') + line('b'))
  expect(topics(reader)).toEqual(['a', 'b'])
  expect(topics(reader)).toEqual([])
  appendFileSync(at.path('e'), line('c'))
  expect(topics(reader)).toEqual(['c'])
})

test('LF and CRLF end a line, blank lines are skipped but counted', () => {
  using at = folder()
  writeFileSync(at.path('e'), '{"topic":"a"}\r\n\r\n  \n\n{"topic":"b"}\n{oops\r\n')
  using reader = new EventsReader(at.path('e'))
  const read = reader.read()
  expect(read.events.map(({ topic }) => topic)).toEqual(['a', 'b'])
  expect(read.bad).toEqual([{ line: 6, reason: 'no valid JSON', excerpt: '{oops' }])
})

test('an invalid byte is replaced within its line only', () => {
  using at = folder()
  writeFileSync(
    at.path('e'),
    Buffer.concat([
      Buffer.from('{"topic":"a","payload":"x'),
      Buffer.from([0xff]),
      Buffer.from('y"}\n'),
      Buffer.from(line('b', 'ü🙂')),
    ]),
  )
  using reader = new EventsReader(at.path('e'))
  expect(reader.read().events).toEqual([
    { topic: 'a', payload: 'x\uFFFDy' },
    { topic: 'b', payload: 'ü🙂' },
  ])
})

describe('a last line without newline', () => {
  test('is not consumed until it is complete', () => {
    using at = folder()
    using reader = new EventsReader(at.path('e'))
    const [head, tail] = [line('a').slice(0, 9), line('a').slice(9)]
    writeFileSync(at.path('e'), head)
    expect(reader.read()).toMatchObject({ events: [], bad: [], offset: 0, line: 1 })
    appendFileSync(at.path('e'), tail)
    expect(topics(reader)).toEqual(['a'])
  })

  test('is closed on disk and parsed when its writer has ended', () => {
    using at = folder()
    using reader = new EventsReader(at.path('e'))
    writeFileSync(at.path('e'), '{"topic":"a"}')
    expect(topics(reader, { closeLine: true })).toEqual(['a'])
    expect(readFileSync(at.path('e'), 'utf8')).toBe('{"topic":"a"}\n')
    appendFileSync(at.path('e'), line('b'))
    expect(reader.read()).toMatchObject({ events: [{ topic: 'b' }], line: 3 })
  })

  test('is a bad line then, if it was torn', () => {
    using at = folder()
    using reader = new EventsReader(at.path('e'))
    writeFileSync(at.path('e'), `${line('a')}{"topic":"b`)
    expect(reader.read({ closeLine: true })).toMatchObject({
      events: [{ topic: 'a' }],
      bad: [{ line: 2, excerpt: '{"topic":"b' }],
      line: 3,
    })
  })
})

describe('a position', () => {
  test('is where a later reader goes on, with the line numbers of the file', () => {
    using at = folder()
    writeFileSync(at.path('e'), line('a') + line('b'))
    using first = new EventsReader(at.path('e'))
    const { offset, line: number } = first.read()
    appendFileSync(at.path('e'), `${line('c')}{oops\n`)
    using second = new EventsReader(at.path('e'), { offset, line: number })
    expect(second.read()).toMatchObject({ events: [{ topic: 'c' }], bad: [{ line: 4 }], restarted: false })
  })

  test('may lack the line number, which is then counted', () => {
    using at = folder()
    writeFileSync(at.path('e'), `${line('a')}\n${line('b')}`)
    using reader = new EventsReader(at.path('e'), { offset: line('a').length + 1 })
    expect(reader.position.line).toBe(3)
    expect(topics(reader)).toEqual(['b'])
  })

  test('beyond the end of the file starts over', () => {
    using at = folder()
    writeFileSync(at.path('e'), line('a'))
    using reader = new EventsReader(at.path('e'), { offset: 999, line: 9 })
    expect(reader.read()).toMatchObject({ events: [{ topic: 'a' }], line: 2, restarted: true })
  })
})

describe('a file that is', () => {
  test('replaced is read from its beginning, after the rest of the old one', () => {
    using at = folder()
    writeFileSync(at.path('e'), line('a'))
    using reader = new EventsReader(at.path('e'))
    reader.read()
    appendFileSync(at.path('e'), line('b'))
    writeFileSync(at.path('new'), line('c') + line('d') + line('e'))
    renameSync(at.path('new'), at.path('e'))
    const read = reader.read()
    expect(read.events.map(({ topic }) => topic)).toEqual(['b', 'c', 'd', 'e'])
    expect(read).toMatchObject({ restarted: true, line: 4 })
  })

  test('replaced by a copy that an editor made goes on where it was, with what is new', () => {
    using at = folder()
    const old = line('a') + line('b')
    writeFileSync(at.path('e'), old)
    using reader = new EventsReader(at.path('e'))
    reader.read()
    writeFileSync(at.path('new'), old + line('c'))
    renameSync(at.path('new'), at.path('e'))
    expect(topics(reader)).toEqual(['c'])
    expect(reader.position).toEqual({ offset: old.length + line('c').length, line: 4 })
  })

  test('deleted gives what was unread, also its unfinished line; a new one is read whole', () => {
    using at = folder()
    writeFileSync(at.path('e'), line('a'))
    using reader = new EventsReader(at.path('e'))
    reader.read()
    appendFileSync(at.path('e'), `${line('b')}{"topic":"c"}`)
    rmSync(at.path('e'))
    expect(topics(reader)).toEqual(['b', 'c'])
    expect(reader.position).toEqual({ offset: 0, line: 1 })
    writeFileSync(at.path('e'), line('d'))
    expect(topics(reader)).toEqual(['d'])
  })

  test('deleted and made anew between two reads is noticed, though it is longer', () => {
    using at = folder()
    writeFileSync(at.path('e'), line('a'))
    using reader = new EventsReader(at.path('e'))
    reader.read()
    rmSync(at.path('e'))
    writeFileSync(at.path('e'), line('b') + line('c'))
    expect(topics(reader)).toEqual(['b', 'c'])
  })

  test('emptied starts over', () => {
    using at = folder()
    writeFileSync(at.path('e'), line('a'))
    using reader = new EventsReader(at.path('e'))
    reader.read()
    truncateSync(at.path('e'))
    expect(reader.read()).toMatchObject({ offset: 0, line: 1, restarted: true })
    appendFileSync(at.path('e'), line('b'))
    expect(reader.read()).toMatchObject({ events: [{ topic: 'b' }], restarted: false })
  })

  test('cut, edited or put in another order, whatever was done how often, gives no line with a time twice, and every new one', () => {
    using at = folder()
    const timed = (topic: string) => `{"topic":"${topic}","ts":"t"}\n`
    const put = (...lines: string[]) => {
      truncateSync(at.path('e'))
      appendFileSync(at.path('e'), lines.join(''))
    }
    writeFileSync(at.path('e'), `${timed('a')}${timed('b')}${timed('b')}${timed('c')}`)
    using reader = new EventsReader(at.path('e'))
    expect(topics(reader)).toEqual(['a', 'b', 'b', 'c'])
    put(timed('a'))
    expect(topics(reader)).toEqual([])
    put(timed('x'))
    expect(topics(reader)).toEqual(['x'])
    rmSync(at.path('e'))
    writeFileSync(at.path('e'), [timed('c'), timed('b'), timed('b'), timed('b'), '{oops\n'].join(''))
    expect(reader.read()).toMatchObject({ events: [{ topic: 'b' }], bad: [{ line: 5 }], restarted: true })
    put(timed('y'))
    expect(topics(reader)).toEqual(['y'])
    appendFileSync(at.path('e'), `${timed('a')}${timed('z')}`)
    expect(topics(reader)).toEqual(['z'])
  })

  test('a link is not followed', () => {
    using at = folder()
    writeFileSync(at.path('real'), line('a'))
    symlinkSync(at.path('real'), at.path('e'))
    using reader = new EventsReader(at.path('e'))
    expect(() => reader.read()).toThrow('ELOOP')
  })
})

test('a payload of 10 MB is read whole, though it arrives in pieces', () => {
  using at = folder()
  const payload = '🙂x\n'.repeat(1_600_000)
  const text = Buffer.from(line('big', payload) + line('after'))
  using reader = new EventsReader(at.path('e'))
  for (let start = 0; start < 3_000_001; start += 1_000_000) {
    appendFileSync(at.path('e'), text.subarray(start, start + 1_000_000))
    expect(topics(reader)).toEqual([])
  }
  appendFileSync(at.path('e'), text.subarray(4_000_000))
  const { events, bad, line: next } = reader.read()
  expect(bad).toEqual([])
  expect(events.map(({ topic }) => topic)).toEqual(['big', 'after'])
  expect(events[0]?.payload === payload).toBe(true)
  expect(next).toBe(3)
})

test('what lies before the position is not read', () => {
  using at = folder()
  const hole = 100 * 1024 ** 3
  writeFileSync(at.path('e'), '')
  truncateSync(at.path('e'), hole)
  appendFileSync(at.path('e'), line('new'))
  using reader = new EventsReader(at.path('e'), { offset: hole, line: 7 })
  expect(topics(reader)).toEqual(['new'])
})
