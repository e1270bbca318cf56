import { describe, expect, test } from 'bun:test'
import { cutToColumns, oneLine, safeText } from '../../../cli/view/safe-text.ts'

const ESC = '\x1b'

describe('foreign text reaches a terminal without anything that it would obey', () => {
  test.each([
    ['plain text stays as it is', 'ünïcode 日本 👩‍👩‍👧 ok', 'ünïcode 日本 👩‍👩‍👧 ok'],
    ['a title sequence goes, up to its bell', `a${ESC}]0;x\x07b`, 'ab'],
    ['a title sequence goes, up to its string terminator', `a${ESC}]0;x${ESC}\\b`, 'ab'],
    ['clearing the screen goes', `a${ESC}[2Jb`, 'ab'],
    ['colours go', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['private modes go', `${ESC}[?1049hx${ESC}[?25l`, 'x'],
    ['device control strings go', `a${ESC}P1$r0m${ESC}\\b`, 'ab'],
    ['eight-bit sequences go', 'a\x9b2Jb\x9d0;t\x9cc', 'abc'],
    ['a cut sequence is left harmless', `a${ESC}`, 'a'],
    ['an unfinished title is left harmless', `a${ESC}]0;x`, 'a0;x'],
    ['a charset switch goes', `a${ESC}(0b`, 'ab'],
    ['other control characters go, tab and newline stay', 'a\x00\x08\x7f\tb\nc', 'a\tb\nc'],
    ['carriage returns cannot overwrite a line', 'good\rbad\r\nnext', 'good\nbad\nnext'],
    ['bidi overrides go', 'a\u202eb\u2066c\u200fd', 'abcd'],
    ['separators become line ends', 'a\u2028b', 'a\nb'],
  ])('%s', (_, given, wanted) => {
    expect(safeText(given)).toBe(wanted)
  })

  test('no text of control characters leaves one of them behind', () => {
    const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
    expect(safeText(`${all}${all}`)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/)
  })

  test('a megabyte of openings is read in linear time', () => {
    const start = performance.now()
    safeText(`${ESC}]`.repeat(500_000))
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

describe('a preview is one line of bounded width', () => {
  test.each([
    ['white space is collapsed', '  a \n\n b\tc ', 60, 'a b c'],
    ['a longer text ends in an ellipsis', 'abcdefghij', 5, 'abcd…'],
    ['a text that just fits is not cut', 'abcde', 5, 'abcde'],
    ['wide characters count two columns', '日本語日本語', 7, '日本語…'],
    ['a family is not torn apart', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4, '👩‍👩‍👧…'],
    ['half a surrogate pair does no harm', 'a\ud800b', 10, 'a\ud800b'],
  ])('%s', (_, given, columns, wanted) => {
    expect(oneLine(given, columns)).toBe(wanted)
  })

  test('a payload of ten megabytes costs next to nothing', () => {
    const payload = 'x y '.repeat(2_500_000)
    const start = performance.now()
    expect(oneLine(payload, 20)).toBe('x y x y x y x y x y…')
    expect(performance.now() - start).toBeLessThan(200)
  })

  test('a cut never splits a character', () => {
    expect(cutToColumns('e\u0301'.repeat(3), 2)).toBe('e\u0301…')
  })
})
