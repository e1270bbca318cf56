import { expect, test } from 'bun:test'
import { namedFiles } from '../../../core/trust/named-files.ts'

const whole = (...words: string[]): string[] =>
  namedFiles(words).flatMap(({ path, amongWords }) => (amongWords ? [] : path))
const among = (...words: string[]): string[] =>
  namedFiles(words).flatMap(({ path, amongWords }) => (amongWords ? path : []))

test('every word may be a file, and so may the value behind a flag', () => {
  expect(whole('./a.sh', 'b.py', '--config=c.json', '-f=d')).toEqual([
    './a.sh',
    'b.py',
    '--config=c.json',
    'c.json',
    '-f=d',
    'd',
  ])
})

test("the words of a shell's script may be files", () => {
  expect(among('sh', '-c', 'cd x && ./a.sh "b c"|./d.sh;X=1 $(./e.sh)')).toEqual([
    'cd',
    'x',
    './a.sh',
    'b',
    'c',
    './d.sh',
    'X',
    '1',
    './e.sh',
  ])
})

test('what no path can be is left out', () => {
  expect(namedFiles(['', '--x=', 'a\0b'])).toEqual([
    { path: '--x=', amongWords: false },
    { path: '--x', amongWords: true },
  ])
})
