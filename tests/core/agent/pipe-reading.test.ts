import { describe, expect, test } from 'bun:test'
import { closeSync, fstatSync, readSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { readPipe } from '../../../core/agent/pipe-reading.ts'
import { neverWait, openPipe, type Pipe } from '../../../core/agent/pipes.ts'
import { until } from '../../helpers/sandbox.ts'

/** A pipe whose read end never waits. */
function pipe(): Pipe {
  const made = openPipe()
  if (made === null || !neverWait(made.read)) throw new Error('no pipe')
  return made
}

/** Reads it; `text` is what was given so far. */
function listen({ read }: Pipe) {
  const chunks: Uint8Array[] = []
  const reading = readPipe(read, (chunk) => chunks.push(chunk))
  return { reading, text: () => Buffer.concat(chunks).toString() }
}

function isOpen(fd: number): boolean {
  try {
    return fstatSync(fd).isFIFO()
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== 'linux')('reading a pipe', () => {
  test('the end that never waits says so where nothing is there, and the other end is as it was', () => {
    const ends = pipe()
    expect(() => readSync(ends.read, Buffer.alloc(1))).toThrow('EAGAIN')
    // A full pipe would end the writer, if its end did not wait either.
    const script = 'head -c 200000 /dev/zero && echo whole >&2'
    const child = Bun.spawn(['sh', '-c', script], { stdin: 'ignore', stdout: ends.write, stderr: 'pipe' })
    closeSync(ends.write)
    const { reading, text } = listen(ends)
    return Promise.all([reading.done, child.stderr.text()]).then(([, said]) => {
      expect([text().length, said]).toEqual([200_000, 'whole\n'])
    })
  })

  test('what a program has left is given at once when it has ended, and the pipe is let go of', async () => {
    const ends = pipe()
    const { reading, text } = listen(ends)
    writeSync(ends.write, 'one\n')
    writeSync(ends.write, 'two\n')
    closeSync(ends.write)
    expect(text()).toBe('')
    reading.ended()
    expect(text()).toBe('one\ntwo\n')
    expect(isOpen(ends.read)).toBe(false)
    await reading.done
    reading.ended()
    reading.stop()
  })

  test('a program that lives on is read while it does', async () => {
    const ends = pipe()
    const { reading, text } = listen(ends)
    writeSync(ends.write, 'alive')
    await until('its output', () => text() === 'alive')
    writeSync(ends.write, ', still')
    await until('more', () => text() === 'alive, still')
    closeSync(ends.write)
    await reading.done
    reading.ended()
    await until('the pipe to be closed', () => !isOpen(ends.read))
  })

  test('what others write who hold the pipe beyond the end of the program is read on, pieces stay as they were', async () => {
    const ends = pipe()
    const { reading, text } = listen(ends)
    writeSync(ends.write, 'of the program, ')
    reading.ended()
    expect(text()).toBe('of the program, ')
    writeSync(ends.write, 'of its daemon')
    await until('the rest', () => text() === 'of the program, of its daemon')
    closeSync(ends.write)
    await reading.done
  })

  test('one who writes without end keeps us from nothing else', async () => {
    const ends = pipe()
    const child = Bun.spawn(['yes'], { stdin: 'ignore', stdout: ends.write, stderr: 'ignore' })
    closeSync(ends.write)
    let bytes = 0
    const reading = readPipe(ends.read, (chunk) => {
      bytes += chunk.length
    })
    reading.ended()
    await until('more than one turn takes', () => bytes > 4_000_000)
    reading.stop()
    await reading.done
    child.kill('SIGKILL')
    await child.exited
  })

  test('a reading that is stopped lets go of the pipe, before it has begun and after', async () => {
    const [early, late] = [pipe(), pipe()]
    const first = listen(early)
    first.reading.stop()
    await first.reading.done
    expect(isOpen(early.read)).toBe(false)
    const second = listen(late)
    writeSync(late.write, 'x')
    await until('it to be read', () => second.text() === 'x')
    second.reading.stop()
    await second.reading.done
    await until('the pipe to be closed', () => !isOpen(late.read))
    for (const { write } of [early, late]) closeSync(write)
  })

  test('who cannot take it ends the reading, with the reason', async () => {
    const ends = pipe()
    const reading = readPipe(ends.read, () => {
      throw new Error('the disk is gone')
    })
    writeSync(ends.write, 'x')
    closeSync(ends.write)
    reading.ended()
    await expect(reading.done).rejects.toThrow('the disk is gone')
    expect(isOpen(ends.read)).toBe(false)
  })

  test('without a descriptor to listen with, what comes is taken all the same, and listened to once there is one', async () => {
    const [reading, pipes] = ['pipe-reading', 'pipes'].map((name) =>
      JSON.stringify(resolve(import.meta.dir, `../../../core/agent/${name}.ts`)),
    )
    const script = `
      import { closeSync, openSync, writeSync } from 'node:fs'
      import { readPipe } from ${reading}
      import { neverWait, openPipe } from ${pipes}
      const { read, write } = openPipe()
      neverWait(read)
      let text = ''
      const heard = async (all) => { while (text !== all) await Bun.sleep(5) }
      const { done } = readPipe(read, (chunk) => { text += Buffer.from(chunk).toString() })
      const all = []
      try { while (true) all.push(openSync('/dev/null')) } catch {}
      writeSync(write, 'a')
      await heard('a')
      writeSync(write, 'b')
      await heard('ab')
      for (const fd of all) closeSync(fd)
      writeSync(write, 'c')
      await heard('abc')
      closeSync(write)
      await done
      console.log(text, all.length > 0)
    `
    const argv = ['sh', '-c', 'ulimit -n 60; exec "$0" --no-install -e "$1"', process.execPath, script]
    const child = Bun.spawn(argv, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [said, wrong] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([said, wrong]).toEqual(['abc true\n', ''])
  })
})
