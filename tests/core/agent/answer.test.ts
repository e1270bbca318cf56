import { expect, test } from 'bun:test'
import { readdirSync, symlinkSync } from 'node:fs'
import { createAnswer } from '../../../core/agent/answer.ts'
import { type LongText, redactedText, wholeText } from '../../../core/agent/long-text.ts'
import { collectSecrets } from '../../../core/secrets.ts'
import { type Sandbox, sandbox } from '../../helpers/sandbox.ts'

const SMALL = { block: 16, most: 64 }

function answer(box: Sandbox, lines: readonly string[], limits = { block: 16, most: 1024 }) {
  const one = createAnswer(box.path('deep/stdout.log.answer'), limits)
  for (const line of lines) one.add(line)
  return { ...one, [Symbol.dispose]: one.close }
}

function isLong(text: string | LongText): text is LongText {
  return typeof text !== 'string'
}

test('a short answer is held in memory, trimmed, and makes no file', async () => {
  await using box = sandbox()
  using one = answer(box, ['', ' a ', '', 'b', ''])
  expect(one.message()).toBe('a \n\nb')
  expect(box.exists('deep')).toBe(false)
})

test('a long one is word for word the same, also where it is cut into pieces, and begins and ends with white space', async () => {
  await using box = sandbox()
  const lines = [
    '',
    '\u3000 \ufeff',
    '  käse',
    ...Array.from({ length: 50 }, (_, i) => `${i} 漢😀\r`),
    '',
    '\u3000',
    '',
  ]
  using one = answer(box, lines)
  const message = one.message()
  expect(isLong(message)).toBe(true)
  expect(wholeText(message)).toBe(lines.join('\n').trim())
})

test('its file has no name once it is open, so that nobody finds it or has to remove it', async () => {
  await using box = sandbox()
  using one = answer(box, ['x'.repeat(100)])
  expect(readdirSync(box.path('deep'))).toEqual([])
  expect(wholeText(one.message())).toBe('x'.repeat(100))
})

test('what lies at the place of its file is replaced, a link too', async () => {
  await using box = sandbox()
  box.write('elsewhere', 'mine')
  box.write('deep/other', '')
  symlinkSync(box.path('elsewhere'), box.path('deep/stdout.log.answer'))
  using one = answer(box, ['x'.repeat(100)])
  expect(wholeText(one.message())).toBe('x'.repeat(100))
  expect(box.read('elsewhere')).toBe('mine')
})

test('a long one knows its last line, and whether there may be events in it', async () => {
  await using box = sandbox()
  const text = ['first', '<event topic="a">', 'x'.repeat(40), '</event>', ' the end ', '']
  using one = answer(box, text)
  expect(one.message()).toMatchObject({ lastLine: 'the end', mayHoldEvents: true })
  using other = answer(box, ['an <event without an end', 'x'.repeat(40)])
  expect(other.message()).toMatchObject({ mayHoldEvents: false })
})

test.each([
  ['short lines', Array.from({ length: 40 }, (_, i) => `line ${i}`)],
  ['one long line', ['0123456789'.repeat(50)]],
  ['long characters', Array.from({ length: 40 }, () => '漢😀é')],
])(
  'of one above the limit both halves are there, with the number of bytes between them: %s',
  async (_, lines) => {
    await using box = sandbox()
    using one = answer(box, lines, SMALL)
    const text = wholeText(one.message())
    const whole = lines.join('\n')
    const [, head = '', missing = '', tail = ''] = /^(.*)\n\[cut: (\d+) bytes\]\n(.*)$/s.exec(text) ?? []
    expect(whole.startsWith(head)).toBe(true)
    expect(whole.endsWith(tail)).toBe(true)
    expect(Buffer.byteLength(head) + Number(missing) + Buffer.byteLength(tail)).toBe(Buffer.byteLength(whole))
    expect(Buffer.byteLength(head)).toBeGreaterThan(28)
    expect(Buffer.byteLength(tail)).toBeGreaterThan(27)
    expect(text).not.toContain('\ufffd')
  },
)

test('one that ends in more white space than is kept still has its beginning', async () => {
  await using box = sandbox()
  using one = answer(box, ['begin', ...Array.from({ length: 100 }, () => ' ')], SMALL)
  expect(wholeText(one.message())).toBe('begin')
})

test('one that cannot be kept is never taken for a whole one: to read it is an error', async () => {
  await using box = sandbox()
  box.write('deep', 'a file where a folder should be')
  using one = answer(box, ['x'.repeat(100), 'y'.repeat(100)])
  expect(() => wholeText(one.message())).toThrow('ENOTDIR')
})

test('secrets can be taken out of a long one, wherever it is cut', async () => {
  await using box = sandbox()
  const secrets = collectSecrets({ MY_API_KEY: 'hush-hush-hush' })
  using one = answer(
    box,
    Array.from({ length: 9 }, (_, i) => `${'x'.repeat(i)}hush-hush-hush`),
  )
  const text = redactedText(one.message(), secrets)
  expect(isLong(text)).toBe(true)
  expect(text).toMatchObject({ lastLine: 'xxxxxxxx[redacted MY_API_KEY]' })
  expect(wholeText(text).match(/\[redacted MY_API_KEY\]/g)).toHaveLength(9)
  expect(wholeText(text)).not.toContain('hush')
})

test('while no descriptor is left it is held in memory, whole', async () => {
  await using box = sandbox()
  const program = `
    import { openSync, closeSync } from 'node:fs'
    import { createAnswer } from '${import.meta.dir}/../../../core/agent/answer.ts'
    import { wholeText } from '${import.meta.dir}/../../../core/agent/long-text.ts'
    const answer = createAnswer('answer', { block: 16, most: 1024 })
    const taken = []
    try { while (true) taken.push(openSync('/dev/null', 'r')) } catch {}
    for (let i = 0; i < 10; i++) answer.add('early ' + i)
    const short = typeof answer.message()
    taken.forEach(closeSync)
    for (let i = 0; i < 10; i++) answer.add('late ' + i)
    const long = answer.message()
    console.log(short, typeof long, JSON.stringify(wholeText(long)))`
  const path = box.write('program.ts', program)
  const { stdout, stderr } = await box.sh(`ulimit -n 64; exec '${process.execPath}' '${path}'`)
  const lines = ['early', 'late'].flatMap((word) => Array.from({ length: 10 }, (_, i) => `${word} ${i}`))
  expect([stderr, stdout]).toEqual(['', `string object ${JSON.stringify(lines.join('\n'))}\n`])
})
