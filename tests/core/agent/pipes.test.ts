import { expect, test } from 'bun:test'
import { closeSync, fstatSync, readdirSync, writeSync } from 'node:fs'
import { closePipe, holdUnread, MAX_HELD, neverWait, openPipe, type Pipe } from '../../../core/agent/pipes.ts'
import { readAll } from '../../../core/agent/reading.ts'
import { writeTo } from '../../../core/agent/stdin.ts'
import { until } from '../../helpers/sandbox.ts'

function pipe(): Pipe {
  const made = openPipe()
  if (made === null) throw new Error('no pipe')
  return made
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length
}

test('both ends are a FIFO, so that a program can open /dev/stderr', () => {
  const ends = pipe()
  expect(fstatSync(ends.read).isFIFO()).toBe(true)
  expect(fstatSync(ends.write).isFIFO()).toBe(true)
  closePipe(ends)
})

test.skipIf(process.platform !== 'linux')('a child inherits neither end', async () => {
  const ends = pipe()
  const child = Bun.spawn(['ls', '-l', '/proc/self/fd'], { stdin: 'ignore', stderr: 'ignore' })
  expect(await child.stdout.text()).not.toContain('pipe:')
  closePipe(ends)
})

test('what one end writes the other reads, in order, and the end of it', async () => {
  const ends = pipe()
  const stdin = writeTo(ends.write)
  const parts = Array.from({ length: 50 }, (_, n) => `${n}:${'x'.repeat(n * 700)}\n`)
  let text = ''
  const reading = readAll(
    Bun.file(ends.read).stream(),
    (chunk) => (text += Buffer.from(chunk).toString()),
    () => closeSync(ends.read),
  )
  for (const part of parts) stdin.write(part)
  stdin.close()
  stdin.close()
  stdin.write('after the end: dropped')
  await reading.done
  expect(text).toBe(parts.join(''))
})

/** What it takes while nobody reads. */
function room({ write }: Pipe): number {
  neverWait(write)
  let bytes = 0
  while (true) {
    try {
      bytes += writeSync(write, new Uint8Array(4096))
    } catch {
      return bytes
    }
  }
}

test.skipIf(process.platform !== 'linux')(
  'a pipe holds as much unread as it is asked to, up to a limit',
  () => {
    const rooms = [10, 500_000, MAX_HELD * 3].map((bytes) => {
      const ends = pipe()
      holdUnread(ends, bytes)
      const held = room(ends)
      closePipe(ends)
      return held
    })
    expect(rooms[0]).toBe(65_536)
    expect(rooms[1]).toBeWithin(500_000, MAX_HELD)
    expect(rooms[2]).toBe(MAX_HELD)
  },
)

test('writing where nobody reads any more is no error', async () => {
  const ends = pipe()
  closeSync(ends.read)
  const stdin = writeTo(ends.write)
  stdin.write('x')
  stdin.write('y'.repeat(1_000_000))
  stdin.close()
  await Bun.sleep(0)
  expect(() => fstatSync(ends.write)).toThrow()
})

test.skipIf(process.platform !== 'linux')('a reading that is stopped lets go of its end', async () => {
  const before = descriptors()
  const held: Pipe[] = []
  const readings = Array.from({ length: 20 }, () => {
    const ends = pipe()
    held.push(ends)
    return readAll(
      Bun.file(ends.read).stream(),
      () => {},
      () => closeSync(ends.read),
    )
  })
  for (const reading of readings) reading.stop()
  await Promise.all(readings.map((reading) => reading.done))
  for (const ends of held) closeSync(ends.write)
  await until('descriptors to be closed', () => descriptors() <= before)
})
