import { expect, test } from 'bun:test'
import { runColumns } from '../../../cli/view/run-columns.ts'

const names = (withWorkspace: boolean, columns: number | null): string[] =>
  Object.keys(runColumns({ withWorkspace, columns }))

test('a pipe and a wide terminal get all columns of the list of runs', () => {
  const all = ['run', 'kind', 'state', 'last', 'iter', 'agents', 'cost', 'open', 'size', 'objective']
  expect(names(false, null)).toEqual(all)
  expect(names(false, 120)).toEqual(all)
  expect(names(true, null)).toEqual([...all.slice(0, -1), 'workspace', 'objective'])
})

test('a narrow terminal gets what one looks for first', () => {
  expect(names(false, 100)).toEqual(['run', 'state', 'last', 'cost', 'open', 'objective'])
})
