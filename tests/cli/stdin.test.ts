import { describe, expect, test } from 'bun:test'
import { createStdin } from '../../cli/stdin.ts'

/** A stream that the test feeds. */
function feed() {
  let feeder: ReadableStreamDefaultController<Uint8Array> | undefined
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      feeder = controller
    },
    cancel() {
      cancelled = true
    },
  })
  return {
    stdin: createStdin(false, () => stream),
    give: (text: string | Uint8Array) => feeder?.enqueue(typeof text === 'string' ? Buffer.from(text) : text),
    end: () => feeder?.close(),
    fail: () => feeder?.error(new Error('EISDIR')),
    wasCancelled: () => cancelled,
  }
}

describe('stdin', () => {
  test('is read to its end, a character over two chunks put together', async () => {
    const { stdin, give, end } = feed()
    const bytes = Buffer.from('日')
    give(bytes.subarray(0, 1))
    give(bytes.subarray(1))
    give(' ok')
    end()
    expect(await stdin.read()).toEqual({ text: '日 ok', silent: false })
  })

  test('that stays silent is given up, and let go of', async () => {
    const { stdin, wasCancelled } = feed()
    expect(await stdin.read(5)).toEqual({ text: '', silent: true })
    expect(wasCancelled()).toBe(true)
  })

  test('has no limit from its first byte on', async () => {
    const { stdin, give, end } = feed()
    give('a')
    const read = stdin.read(1)
    await Bun.sleep(10)
    give('b')
    end()
    expect(await read).toEqual({ text: 'ab', silent: false })
  })

  test('that ends at once is empty, not silent', async () => {
    const { stdin, end } = feed()
    end()
    expect(await stdin.read(1000)).toEqual({ text: '', silent: false })
  })

  test('that cannot be read is empty', async () => {
    const { stdin, fail } = feed()
    fail()
    expect(await stdin.read()).toEqual({ text: '', silent: false })
  })

  test('of a real process lets go of an open pipe, so that the program can end', async () => {
    const program = `
      import { processStdin } from ${JSON.stringify(new URL('../../cli/stdin.ts', import.meta.url).pathname)}
      console.log(JSON.stringify(await processStdin().read(20)))`
    const child = Bun.spawn([process.execPath, '-e', program], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    expect(await new Response(child.stdout).json()).toEqual({ text: '', silent: true })
    expect(await child.exited).toBe(0)
  })
})
