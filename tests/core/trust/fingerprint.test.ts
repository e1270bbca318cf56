import { expect, test } from 'bun:test'
import type { Executable, ProgramCall } from '../../../core/trust/executable.ts'
import { fingerprint } from '../../../core/trust/fingerprint.ts'

const place = (line: number) => ({ origin: { label: 'ralph.yml', path: '/w/ralph.yml' }, line, column: 1 })
const call: ProgramCall = {
  kind: 'program',
  hat: 'a',
  words: ['./a.sh', '-x'],
  more: false,
  places: [place(1)],
}
const files = [
  { path: '/w/a.sh', sha256: '1' },
  { path: '/w/b.sh', sha256: '2' },
]

test('the same is the same, whoever plays with it, wherever it stands and in whatever order its files come', () => {
  const moved = { ...call, hat: 'b', places: [place(7)] }
  expect(fingerprint(moved, files.toReversed())).toBe(fingerprint(call, files))
})

test('another word, another border between words, another file or another content is something else', () => {
  const all = [
    fingerprint(call, files),
    fingerprint(call, []),
    fingerprint(call, [{ path: '/w/a.sh', sha256: '3' }]),
    fingerprint({ ...call, words: ['./a.sh', '-y'] }, files),
    fingerprint({ ...call, words: ['./a.sh -x'] }, files),
    fingerprint({ ...call, more: true }, files),
    ...(
      [
        { kind: 'plugin', name: 'a', path: '/w/a.ts' },
        { kind: 'script', path: 'a', place: place(1) },
      ] satisfies Executable[]
    ).map((one) => fingerprint(one, files)),
  ]
  expect(new Set(all).size).toBe(all.length)
})
