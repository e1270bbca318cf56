import { describe, expect, test } from 'bun:test'
import { collectSecrets, NO_SECRETS, redactDeep, type Secrets } from '../../core/secrets.ts'

const secrets = collectSecrets({
  MY_API_KEY: 'value-of-key',
  GITHUB_TOKEN: 'value-of-key-and-more',
  DB_PASSWORD: 'pa"ss\\word',
  SHORT_TOKEN: 'short',
  TOKENS: 'value-of-tokens',
  HOME: '/home/somebody',
})

/** What a stream makes of these pieces. */
function streamed(of: Secrets, pieces: readonly Uint8Array[]): Buffer {
  const stream = of.stream()
  return Buffer.concat([...pieces.map((piece) => Buffer.from(stream.push(piece))), stream.end()])
}

describe('what is secret', () => {
  test('is told by the name of its variable, and replaced by that name', () => {
    expect(secrets.text('a value-of-key b')).toBe('a [redacted MY_API_KEY] b')
  })

  test('is the longer one where one begins with another', () => {
    expect(secrets.text('value-of-key-and-more')).toBe('[redacted GITHUB_TOKEN]')
  })

  test('is so in JSON, too', () => {
    expect(secrets.text(JSON.stringify({ a: 'pa"ss\\word' }))).toBe('{"a":"[redacted DB_PASSWORD]"}')
  })

  test('is no short value, and none of another name', () => {
    const text = 'short value-of-tokens /home/somebody'
    expect(secrets.text(text)).toBe(text)
  })

  test.each([
    'sk-ant-api03-abcdefghijklmnop',
    'ghp_abcdefghijklmnopqrstuvwx',
    'github_pat_abcdefghijklmnopqrstuvwx',
    'AIzaSyabcdefghijklmnopqrstuvwxyz012345',
    'xoxb-123456789-abcdef',
    'AKIAABCDEFGHIJKLMNOP',
    'eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abcdefghijklmn',
  ])('is %s by its form, wherever it comes from', (key) => {
    expect(collectSecrets({}).text(`key=${key}!`)).toBe('key=[redacted]!')
  })

  test.each(['ask-for-a-longer-explanation', 'risk-abcdefghijklmnopqrst', 'sk-short', 'eyJust words'])(
    'is not %s',
    (text) => {
      expect(collectSecrets({}).text(text)).toBe(text)
    },
  )
})

describe('a stream', () => {
  const text = `é before value-of-key-and-more, sk-abcdefghijklmnopqrst. ${JSON.stringify('pa"ss\\word')} \n after é`

  test('hides a secret wherever it is cut', () => {
    const bytes = Buffer.from(text)
    const wanted = secrets.text(text)
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(streamed(secrets, [bytes.subarray(0, cut), bytes.subarray(cut)]).toString()).toBe(wanted)
    }
    expect(
      streamed(
        secrets,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ).toString(),
    ).toBe(wanted)
  })

  test('gives everything else byte for byte, invalid UTF-8 too', () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 31 + (i >> 8)) % 256))
    for (const size of [1, 7, 300, 4096]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      )
      expect(streamed(secrets, pieces).equals(bytes)).toBe(true)
    }
  })

  test('gives a finished line away at once', () => {
    expect(Buffer.from(secrets.stream().push(Buffer.from('a line\n'))).toString()).toBe('a line\n')
  })

  test('hides a secret of several lines', () => {
    const lines = collectSecrets({ A_PRIVATE_KEY: 'first line\nsecond line' })
    const pieces = ['x first line\n', 'second', ' line y'].map((piece) => Buffer.from(piece))
    expect(streamed(lines, pieces).toString()).toBe('x [redacted A_PRIVATE_KEY] y')
  })

  test('is left as it is where nothing is secret', () => {
    const bytes = Buffer.from('sk-abcdefghijklmnopqrst')
    expect(streamed(NO_SECRETS, [bytes]).equals(bytes)).toBe(true)
  })
})

test('texts are found at any depth, and keys and other values stay', () => {
  const value = { 'value-of-key': [1, null, { deep: 'value-of-key' }], flag: true }
  expect(redactDeep(value, secrets)).toEqual({
    'value-of-key': [1, null, { deep: '[redacted MY_API_KEY]' }],
    flag: true,
  })
})

describe('a text whose end was cut off', () => {
  const whole = 'a value-of-key-and-more b'
  test('shows no half of a secret, wherever that was', () => {
    for (let at = 0; at <= whole.length; at++) {
      const shown = secrets.cut(whole.slice(0, at))
      const rest = shown.replace('[redacted GITHUB_TOKEN]', '').replace('[redacted MY_API_KEY]', '')
      expect('a  b'.startsWith(rest) || 'a -and-more b'.startsWith(rest)).toBe(true)
    }
  })

  test.each([
    ['a key: sk-ant-abc', 'a key: '],
    ['a key: gh', 'a key: '],
    ['a key: ghp_abcdefghijklmnopqrstuvwx', 'a key: '],
    ['ask-for', 'ask-for'],
    ['a high', 'a high'],
  ])('%s shows as "%s"', (text, shown) => {
    expect(collectSecrets({}).cut(text)).toBe(shown)
  })

  test('shows none where `…` says that something was left out', () => {
    expect(secrets.text('a value-of-k… b')).toBe('a [redacted]… b')
    expect(secrets.text('a valu… b')).toBe('a valu… b')
  })
})

test('a text in pieces is redacted as a whole, and held back only where a secret may begin', () => {
  const text = 'é before value-of-key-and-more, sk-abcdefghijklmnopqrst. after é value'
  for (let cut = 0; cut <= text.length; cut++) {
    const stream = secrets.textStream()
    expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()).toBe(
      secrets.text(text),
    )
  }
  const stream = secrets.textStream()
  expect(stream.push('All is well.')).toBe('All is well.')
  expect(stream.push(' A val')).toBe(' A ')
  expect(stream.push('ley')).toBe('valley')
})
