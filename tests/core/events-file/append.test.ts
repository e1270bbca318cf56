import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { appendText } from '../../../core/events-file/append.ts'
import { folder } from './folder.ts'

test('creates the file for its owner alone, and its parent directories', () => {
  using at = folder()
  appendText(at.path('a', 'b', 'e.jsonl'), '1\n')
  expect(readFileSync(at.path('a', 'b', 'e.jsonl'), 'utf8')).toBe('1\n')
  expect(statSync(at.path('a', 'b', 'e.jsonl')).mode & 0o777).toBe(0o600)
})

test('adds to what is there', () => {
  using at = folder()
  writeFileSync(at.path('e'), '1\n')
  appendText(at.path('e'), '2\n3\n', { sync: true })
  expect(readFileSync(at.path('e'), 'utf8')).toBe('1\n2\n3\n')
})

test('ends a torn last line first', () => {
  using at = folder()
  writeFileSync(at.path('e'), '1\n{"torn')
  appendText(at.path('e'), '2\n')
  expect(readFileSync(at.path('e'), 'utf8')).toBe('1\n{"torn\n2\n')
})

test('follows a link only where it may', () => {
  using at = folder()
  writeFileSync(at.path('real'), '')
  symlinkSync(at.path('real'), at.path('link'))
  expect(() => appendText(at.path('link'), '1\n')).toThrow('ELOOP')
  appendText(at.path('link'), '1\n', { followLinks: true })
  expect(readFileSync(at.path('real'), 'utf8')).toBe('1\n')
})

test('throws the error of the system for a path that cannot be written', () => {
  using at = folder()
  mkdirSync(at.path('dir'))
  expect(() => appendText(at.path('dir'), '1\n')).toThrow('EISDIR')
})
