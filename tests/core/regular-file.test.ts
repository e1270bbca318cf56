import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { osCodeOf } from '../../core/errors.ts'
import { readRegularFile } from '../../core/regular-file.ts'

function inFolder(act: (path: (name: string) => string) => void): void {
  const dir = mkdtempSync(join(tmpdir(), 'ralph-regular-'))
  try {
    act((name) => join(dir, name))
  } finally {
    rmSync(dir, { recursive: true })
  }
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return osCodeOf(error)
  }
}

test('a file is read whole, through a link too', () =>
  inFolder((path) => {
    const text = 'ä'.repeat(5000)
    writeFileSync(path('a'), text)
    symlinkSync('a', path('b'))
    expect(readRegularFile(path('a'), 10_000).toString()).toBe(text)
    expect(readRegularFile(path('b'), 10_000).toString()).toBe(text)
  }))

test('a file that tells no size is read whole', () => {
  expect(readRegularFile('/proc/self/status', 100_000).toString()).toContain('Pid:')
})

test('what is larger is refused', () =>
  inFolder((path) => {
    writeFileSync(path('a'), 'abcd')
    expect(codeOf(() => readRegularFile(path('a'), 4))).toBeUndefined()
    expect(codeOf(() => readRegularFile(path('a'), 3))).toBe('EFBIG')
  }))

test('a pipe, a device and a folder are refused, and nobody waits', () =>
  inFolder((path) => {
    Bun.spawnSync(['mkfifo', path('pipe')])
    symlinkSync('/dev/zero', path('zero'))
    for (const name of ['pipe', 'zero']) expect(codeOf(() => readRegularFile(path(name), 100))).toBe('EINVAL')
    expect(codeOf(() => readRegularFile(path('.'), 100))).toBe('EISDIR')
    expect(codeOf(() => readRegularFile(path('none'), 100))).toBe('ENOENT')
  }))
