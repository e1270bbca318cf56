import { expect, test } from 'bun:test'
import { countFacts, readFacts } from '../../../plugins/mock/workspace/facts.ts'
import { openWorkspace } from '../../../plugins/mock/workspace/workspace.ts'
import { sandbox } from '../../helpers/sandbox.ts'

test('lists text of the project, not what is hidden, built or foreign, nor links', async () => {
  await using box = sandbox()
  for (const path of ['b.ts', 'a/x.ts', '.env', '.ralph/events.jsonl', 'node_modules/m/i.js', 'dist/o.js'])
    box.write(path, 'x')
  await box.sh('ln -s /etc/hostname link && ln -s / root')
  expect(openWorkspace(box.dir, undefined).files()).toEqual(['a/x.ts', 'b.ts'])
})

test('counts lines, the longest of them, and marks', () => {
  expect(countFacts('one\ntwo TODO FIXME\n\nTODOs are no mark\n')).toEqual({
    lines: 4,
    longest: { length: 17, line: 4 },
    marks: { count: 2, firstLine: 2 },
  })
  expect(countFacts('')).toEqual({
    lines: 0,
    longest: { length: 0, line: 0 },
    marks: { count: 0, firstLine: null },
  })
})

test('a file that is no text, too large or gone has no facts', async () => {
  await using box = sandbox()
  box.write('binary', 'a\0b')
  box.write('large', 'x'.repeat(2_000_001))
  for (const path of ['binary', 'large', 'gone']) expect(readFacts(box.dir, path)).toBeNull()
})

test('the last change is the last commit, and without one that of the file', async () => {
  await using box = sandbox()
  box.write('old.ts', 'x\n')
  box.write('new.ts', 'x\n')
  const made = await box.sh(
    `git init -q && git add old.ts &&
     git -c user.name=n -c user.email=e commit -qm m --date 2020-01-02T12:00:00Z`,
    { env: { GIT_COMMITTER_DATE: '2020-01-02T12:00:00Z' } },
  )
  expect(made.code).toBe(0)
  expect(readFacts(box.dir, 'old.ts')?.changed).toEqual({ date: '2020-01-02', by: 'commit' })
  expect(readFacts(box.dir, 'new.ts')?.changed.by).toBe('file')
})

test('counts topics of the events file, whatever else stands in it', async () => {
  await using box = sandbox()
  const path = box.write(
    'e.jsonl',
    '{"topic":"a"}\n{oops\n\n{"topic":"a","wave_id":"w"}\n7\n{"hat":"loop","topic":"b"}\n',
  )
  const { used } = openWorkspace(box.dir, path)
  expect([used('a'), used('b'), used('c')]).toEqual([2, 1, 0])
  expect(openWorkspace(box.dir, box.path('gone')).used('a')).toBe(0)
})
