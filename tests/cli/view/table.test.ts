import { describe, expect, test } from 'bun:test'
import { createPalette } from '../../../cli/view/colour.ts'
import { growingTable, renderTable } from '../../../cli/view/table.ts'

const paint = createPalette(false)

describe('a table', () => {
  test('has columns as wide as their widest cell, wide characters counted as two', () => {
    expect(
      renderTable(
        ['a', 'b'],
        [
          ['漢字', '1'],
          ['x', '2'],
        ],
        paint,
      ),
    ).toBe('a     b\n漢字  1\nx     2\n')
  })

  test('stands in one line a row, whatever its cells hold', () => {
    expect(renderTable(['a', 'b'], [['x\ny', '\x1b[2Jz']], paint)).toBe('a    b\nx y  z\n')
  })
})

describe('a table that grows', () => {
  test('has its heading once, and its columns keep the width they have reached', () => {
    const add = growingTable(['a', 'b'], { paint, least: [3] })
    expect(add([['x', '1']])).toBe('a    b\nx    1\n')
    expect(add([['longer', '2']])).toBe('longer  2\n')
    expect(add([])).toBe('')
    expect(add([['y', '3']])).toBe('y       3\n')
  })

  test('cuts previews at the width of the terminal, and leaves at least 20 columns', () => {
    const long = 'p'.repeat(50)
    expect(growingTable(['a', 'b'], { paint, cutAt: 40 })([['x', long]])).toBe(
      `a  b\nx  ${'p'.repeat(36)}…\n`,
    )
    expect(growingTable(['a', 'b'], { paint, cutAt: 10 })([['x', long]])).toBe(
      `a  b\nx  ${'p'.repeat(19)}…\n`,
    )
  })
})
