import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexedRuns, indexRun, lastIndexedRun, unindexRun } from '../../../cli/world/run-index.ts'

function state(): Disposable & { readonly env: { readonly RALPH_STATE_DIR: string } } {
  const dir = mkdtempSync(join(tmpdir(), 'ralph-index-'))
  return { env: { RALPH_STATE_DIR: dir }, [Symbol.dispose]: () => rmSync(dir, { recursive: true }) }
}

describe('the index of runs', () => {
  test('knows the runs of each workspace, and the last one', () => {
    using place = state()
    for (const id of ['a', 'b']) indexRun(place.env, '/w', id)
    indexRun(place.env, '/x', 'c')
    expect([indexedRuns(place.env, '/w'), lastIndexedRun(place.env, '/w')]).toEqual([['a', 'b'], 'b'])
  })

  test('a run that was removed is in it no more, and the last one stays the last', () => {
    using place = state()
    for (const id of ['a', 'b']) indexRun(place.env, '/w', id)
    unindexRun(place.env, '/w', { id: 'a', wasCurrent: false })
    expect([indexedRuns(place.env, '/w'), lastIndexedRun(place.env, '/w')]).toEqual([['b'], 'b'])
  })

  test.each([
    ['the last one', 'b'],
    ['the one that --continue means, though a later one is there,', 'a'],
  ])('after %s was removed there is no last one, until another begins', (_, id) => {
    using place = state()
    for (const one of ['a', 'b']) indexRun(place.env, '/w', one)
    unindexRun(place.env, '/w', { id, wasCurrent: true })
    expect(lastIndexedRun(place.env, '/w')).toBeNull()
    indexRun(place.env, '/w', 'c')
    expect(lastIndexedRun(place.env, '/w')).toBe('c')
  })

  test('is not made for a run that was never in it', () => {
    using place = state()
    unindexRun(place.env, '/w', { id: 'a', wasCurrent: true })
    expect(indexedRuns(place.env, '/w')).toEqual([])
  })
})
