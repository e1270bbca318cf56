import { expect, test } from 'bun:test'
import { nearest } from '../../core/nearest.ts'

const WORDS = ['--payload-file', '--stdin', '--json', '--file']

test.each([
  ['--payload-fil', '--payload-file'],
  ['--payloadfile', '--payload-file'],
  ['--STDIN', '--stdin'],
  ['--stidn', '--stdin'],
  ['--flie', '--file'],
  ['--payload', '--payload-file'],
])('%s is most likely a misspelling of %s', (word, meant) => {
  expect(nearest(word, WORDS)).toBe(meant)
})

test.each([['--quiet'], ['--x'], ['completely-else']])('%s resembles nothing', (word) => {
  expect(nearest(word, WORDS)).toBeNull()
})
