import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { CASES, findCases } from '../../.ci/cases.mjs'

test('every case of the contract is named by a test that runs the compiled binary', () => {
  const found: ReadonlyMap<number, readonly string[]> = findCases(join(import.meta.dir, '..'))
  const missing = Array.from({ length: CASES }, (_, i) => i + 1).filter((number) => !found.has(number))
  expect(missing).toEqual([])
})
