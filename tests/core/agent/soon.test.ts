import { expect, test } from 'bun:test'
import { soon } from '../../../core/agent/soon.ts'
import { until } from '../../helpers/sandbox.ts'

test('what is put off in one turn happens together, a moment after the turn', async () => {
  const done: string[] = []
  soon(() => done.push('a'))
  soon(() => done.push('b'))
  setTimeout(() => done.push('what was due meanwhile'), 30)
  // The turn itself lasts longer than the moment.
  for (const began = performance.now(); performance.now() - began < 40; );
  await until('both', () => done.includes('a'))
  expect(done).toEqual(['what was due meanwhile', 'a', 'b'])
})

test('what is left undone does not happen, and takes nothing else with it', async () => {
  const done: string[] = []
  const [a, b] = ['a', 'b'].map((name) => soon(() => done.push(name)))
  a?.()
  const alone = soon(() => done.push('c'))
  await Promise.resolve()
  b?.()
  const later = soon(() => done.push('d'))
  await until('the others', () => done.length === 2)
  expect(done).toEqual(['c', 'd'])
  alone()
  later()
})

test('one may leave another undone at the last moment', async () => {
  const done: string[] = []
  const leave: { second?: () => void } = {}
  soon(() => {
    done.push('first')
    leave.second?.()
  })
  leave.second = soon(() => done.push('second'))
  soon(() => done.push('third'))
  await until('the last', () => done.includes('third'))
  expect(done).toEqual(['first', 'third'])
})
