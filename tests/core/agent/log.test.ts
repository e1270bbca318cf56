import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createLog } from '../../../core/agent/log.ts'
import { NO_SECRETS } from '../../../core/secrets.ts'
import { sandbox } from '../../helpers/sandbox.ts'

test('the file is made with the first bytes, for its owner alone, in a folder that is made too', async () => {
  await using box = sandbox()
  const path = box.path('deep/er/stdout.log')
  const log = createLog(path)
  expect(log.text()).toBe('')
  expect(existsSync(path)).toBe(false)
  expect(log.write(Buffer.from('one '))).toBeNull()
  expect(log.write(Buffer.from('two'))).toBeNull()
  expect(readFileSync(path, 'utf8')).toBe('one two')
  expect(log.text()).toBe('one two')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  log.close()
})

test('an older file is replaced', async () => {
  await using box = sandbox()
  const log = createLog(box.write('stdout.log', 'of another attempt, and longer'))
  log.write(Buffer.from('new'))
  expect(box.read('stdout.log')).toBe('new')
  log.close()
})

test('a link is not followed, and the reason is told once', async () => {
  await using box = sandbox()
  box.write('target', 'kept')
  symlinkSync(box.path('target'), box.path('stdout.log'))
  const log = createLog(box.path('stdout.log'))
  expect(log.write(Buffer.from('x'))).toContain('stdout.log')
  expect(log.write(Buffer.from('x'))).toBeNull()
  expect(log.text()).toBe('')
  expect(box.read('target')).toBe('kept')
  log.close()
})

test.skipIf(!existsSync('/dev/full'))('a full disk ends the log with its reason', () => {
  const log = createLog('/dev/full')
  expect(log.write(Buffer.from('x'))).toContain('ENOSPC')
  log.close()
})

test('a log that is long enough ends, which is told once: a program that prints without end fills no disk', async () => {
  await using box = sandbox()
  const log = createLog(box.path('stdout.log'), NO_SECRETS, 10)
  expect(log.write(Buffer.from('0123456'))).toBeNull()
  expect(log.write(Buffer.from('789abc'))).toMatch(/stdout\.log has 10 bytes: what follows is not kept/)
  expect(log.write(Buffer.from('def'))).toBeNull()
  expect(box.read('stdout.log')).toBe('0123456789')
  log.close()
})

test('a text above the limit is given as its two ends', async () => {
  await using box = sandbox()
  const log = createLog(box.path('stdout.log'))
  log.write(Buffer.from('0123456789abcdefghij'))
  expect(log.text(8)).toBe('0123\n[cut: 12 bytes]\nghij')
  expect(log.text(20)).toBe('0123456789abcdefghij')
  writeFileSync(box.path('stdout.log'), '')
  expect(log.text()).toBe('')
  log.close()
})
