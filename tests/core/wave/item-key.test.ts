import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { inline } from '../../../core/blob.ts'
import { digestInstructions, itemKeys, type KeyedItem } from '../../../core/wave/item-key.ts'

const PLAYER = { backend: 'claude', model: null }

function item(payload: string, more: Partial<KeyedItem> = {}): KeyedItem {
  return {
    hat: 'work',
    instructions: digestInstructions('Do it.'),
    player: PLAYER,
    payload: inline(payload),
    ...more,
  }
}

const keyOf = (one: KeyedItem): string | undefined => itemKeys([one])[0]

describe('the key of an item', () => {
  test('is the same wherever the item stands in its list', () => {
    const [a, b, c] = itemKeys([item('a'), item('b'), item('c')])
    expect(itemKeys([item('new'), item('c'), item('a'), item('b')]).slice(1)).toEqual([c, a, b] as string[])
  })

  test('counts equal items, so that one result stands for one of them', () => {
    const three = itemKeys([item('a'), item('a'), item('b'), item('a')])
    expect(new Set(three).size).toBe(4)
    const [first, second] = itemKeys([item('b'), item('a'), item('a')]).slice(1)
    expect([first, second]).toEqual([three[0], three[1]])
  })

  test('is made of the content of a payload, not of the file that holds it', () => {
    const text = 'long '.repeat(5000)
    const sha256 = createHash('sha256').update(text).digest('hex')
    const kept = { path: '/some/where/else', bytes: text.length, sha256 }
    expect(keyOf(item('', { payload: kept }))).toBe(keyOf(item(text)))
  })

  test.each<{ what: string; other: KeyedItem }>([
    { what: 'another hat', other: item('a', { hat: 'other' }) },
    { what: 'other instructions', other: item('a', { instructions: digestInstructions('Do it!') }) },
    { what: 'no instructions', other: item('a', { instructions: digestInstructions(null) }) },
    { what: 'another backend', other: item('a', { player: { ...PLAYER, backend: 'codex' } }) },
    { what: 'another model', other: item('a', { player: { ...PLAYER, model: 'small' } }) },
    { what: 'another payload', other: item('A') },
    { what: 'a payload that differs in its last blank', other: item('a ') },
  ])('is another one for $what', ({ other }) => {
    expect(keyOf(other)).not.toBe(keyOf(item('a')))
  })

  test('does not take a text that moves from one part to the next for the same', () => {
    const left = item('a', { hat: 'ab', player: { backend: 'c', model: null } })
    const right = item('a', { hat: 'a', player: { backend: 'bc', model: null } })
    expect(keyOf(left)).not.toBe(keyOf(right))
  })

  test('tells a prompt without text from no prompt', () => {
    expect(digestInstructions('')).not.toBe(digestInstructions(null))
  })
})
