import { expect, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createAnew, writeAnew } from '../../../core/events-file/create.ts'
import { folder } from './folder.ts'

test('a file is made anew with the folders above it, for its owner alone', () => {
  using at = folder()
  const path = join(at.dir, 'new', 'deep', 'file')
  writeAnew(path, 'text')
  expect(readFileSync(path, 'utf8')).toBe('text')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('what stood in its place is gone, and a link there is replaced and not followed', () => {
  using at = folder()
  const other = join(at.dir, 'other')
  const path = join(at.dir, 'file')
  writeFileSync(other, 'of somebody else')
  symlinkSync(other, path)
  closeSync(createAnew(path))
  expect(lstatSync(path).isFile()).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('')
  expect(readFileSync(other, 'utf8')).toBe('of somebody else')
  writeAnew(path, 'b')
  expect(readFileSync(path, 'utf8')).toBe('b')
})

test('a folder in its place goes with all that is in it', () => {
  using at = folder()
  const path = join(at.dir, 'file')
  mkdirSync(join(path, 'inside'), { recursive: true })
  writeAnew(path, 'c')
  expect(readFileSync(path, 'utf8')).toBe('c')
})

test('where it cannot be made, the error is the system’s', () => {
  expect(() => createAnew('/proc/none/file')).toThrow(/ENOENT/)
  expect(existsSync('/proc/none')).toBe(false)
})
