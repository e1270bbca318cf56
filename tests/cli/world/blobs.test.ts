import { expect, test } from 'bun:test'
import { readdirSync, statSync, symlinkSync } from 'node:fs'
import { createBlobStore } from '../../../cli/world/blobs.ts'
import { copyPrivate } from '../../../cli/world/write-private.ts'
import type { LongText } from '../../../core/agent/long-text.ts'
import { sandbox } from '../../helpers/sandbox.ts'

/** A text in pieces of 1000 bytes. */
function long(text: string): LongText {
  const bytes = Buffer.from(text)
  return {
    lastLine: '',
    mayHoldEvents: false,
    *pieces() {
      for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
    },
  }
}

test('a text that comes in pieces is stored as it would be as a whole: two of the same text are known as the same', async () => {
  await using box = sandbox()
  const blobs = createBlobStore(box.dir)
  for (const text of ['käse', 'k'.repeat(16_384), 'ä'.repeat(8193), '漢'.repeat(100_000)]) {
    const stored = blobs.storeLong(long(text))
    expect(stored).toEqual(blobs.store(text))
    expect(blobs.read(stored)).toBe(text)
  }
  expect(readdirSync(box.path('blobs'))).toHaveLength(2)
})

test('one that cannot be read to its end leaves nothing that looks whole', async () => {
  await using box = sandbox()
  const blobs = createBlobStore(box.dir)
  const broken: LongText = {
    lastLine: '',
    mayHoldEvents: false,
    *pieces() {
      yield Buffer.alloc(20_000)
      throw new Error('the disk is gone')
    },
  }
  expect(() => blobs.storeLong(broken)).toThrow('the disk is gone')
  expect(blobs.read(blobs.storeLong(long('x'.repeat(20_000))))).toBe('x'.repeat(20_000))
  expect(readdirSync(box.path('blobs'))).toHaveLength(1)
})

test('a copy is word for word the same, for its owner alone, and goes through no link', async () => {
  await using box = sandbox()
  const from = box.write('from', '漢'.repeat(100_000))
  copyPrivate(from, box.path('deep/to'))
  expect(box.read('deep/to')).toBe(box.read('from'))
  expect(statSync(box.path('deep/to')).mode & 0o777).toBe(0o600)
  symlinkSync(from, box.path('link'))
  expect(() => copyPrivate(from, box.path('link'))).toThrow('ELOOP')
  expect(() => copyPrivate(box.path('link'), box.path('other'))).toThrow('ELOOP')
})
