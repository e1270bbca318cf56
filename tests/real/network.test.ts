import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

test.skipIf(process.env.RALPH_REAL_OFFLINE !== '1')(
  'real programs run where there is no network but a loopback',
  () => {
    const [, , ...lines] = readFileSync('/proc/net/dev', 'utf8').trim().split('\n')
    expect(lines.map((line) => line.split(':')[0]?.trim())).toEqual(['lo'])
  },
)
