import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { createRemoval, removeFile } from '../../../cli/world/removal.ts'
import { type Sandbox, sandbox, until } from '../../helpers/sandbox.ts'

const SOON = { first: 1, next: 1 }
const NEVER = { first: 1_000_000, next: 1_000_000 }

function files(box: Sandbox, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => box.write(`files/${i}`, ''))
}

test('files go without anybody asking again, those of several calls too', async () => {
  await using box = sandbox()
  const removal = createRemoval(SOON)
  const [one, ...others] = files(box, 1000)
  removal.add(others)
  removal.add([`${one}`])
  await until('all to be gone', () => readdirSync(box.path('files')).length === 0)
})

test('at the end the rest goes at once', async () => {
  await using box = sandbox()
  const removal = createRemoval(NEVER)
  removal.add(files(box, 10))
  expect(readdirSync(box.path('files'))).toHaveLength(10)
  removal.finish()
  expect(readdirSync(box.path('files'))).toEqual([])
})

test('what could not be removed holds nothing up, and is told of at the end', async () => {
  await using box = sandbox()
  const removal = createRemoval(SOON)
  const [first = '', last = ''] = files(box, 2)
  // No file can be below a file.
  removal.add([`${first}/below`, last])
  await until('the other to be gone', () => !box.exists('files/1'))
  expect(() => removal.finish()).toThrow('ENOTDIR')
})

test('a folder in the place of a file goes with all that is in it; what is gone already is no error', async () => {
  await using box = sandbox()
  mkdirSync(box.path('file/deep'), { recursive: true })
  removeFile(box.path('file'))
  removeFile(box.path('file'))
  expect(box.exists('file')).toBe(false)
})
