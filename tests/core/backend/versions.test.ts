import { describe, expect, test } from 'bun:test'
import { compareVersions, isVersionRange, isWithin, versionIn } from '../../../core/backend/versions.ts'

test.each([
  ['2.1.332 (Claude Code)', '2.1.332'],
  ['codex-cli 0.171.0', '0.171.0'],
  ['agent v1.2', '1.2'],
  ['agent 7', null],
  ['', null],
])('the version in %p is %p', (text, version) => {
  expect(versionIn(text)).toBe(version)
})

test.each([
  ['1.2.3', '1.2.3', 0],
  ['1.2', '1.2.0', 0],
  ['0.9.10', '0.9.9', 1],
  ['1.10.0', '2.0.0', -1],
])('%s against %s', (a, b, order) => {
  expect(Math.sign(compareVersions(a, b))).toBe(order)
  expect(Math.sign(compareVersions(b, a))).toBe(order === 0 ? 0 : -order)
})

describe('a range', () => {
  test.each([
    ['1.5.0', '*', true],
    ['1.5.0', '<1.5.0', false],
    ['1.5.0', '<=1.5', true],
    ['1.5.0', '>1.5.0', false],
    ['1.5.0', '>=1.5.0 <2', true],
    ['2.0.0', '>=1.5.0 <2', false],
    ['1.5.0', '=1.5.0', true],
    [null, '*', true],
    [null, '>0', false],
    ['1.5.0', 'newer', false],
  ])('%p in %p: %p', (version, range, holds) => {
    expect(isWithin(version, range)).toBe(holds)
  })

  test.each([
    ['*', true],
    ['>=1.2.3 <2', true],
    ['^1.2.3', false],
    ['', false],
    ['< 2', false],
  ])('%p is one: %p', (range, is) => {
    expect(isVersionRange(range)).toBe(is)
  })
})
