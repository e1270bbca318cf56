import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { findWorkspace, hasMarker, readMarker, resolveTarget } from '../../../core/events-file/target.ts'
import { type Folder, folder } from './folder.ts'

const mark = (at: Folder, text: string) => {
  mkdirSync(at.path('.ralph'), { recursive: true })
  writeFileSync(at.path('.ralph', 'current-events'), text)
}

describe('the workspace is', () => {
  test.each([['.ralph'], ['.git']])('the nearest directory upwards with %s', (name) => {
    using at = folder()
    mkdirSync(at.path(name))
    mkdirSync(at.path('a', 'b'), { recursive: true })
    expect(findWorkspace({ cwd: at.path('a', 'b'), env: {} })).toBe(at.dir)
  })

  test('the current directory without either; a file named .ralph does not count', () => {
    using at = folder()
    writeFileSync(at.path('.ralph'), '')
    mkdirSync(at.path('a'))
    expect(findWorkspace({ cwd: at.path('a'), env: {} })).toBe(at.path('a'))
  })

  test('RALPH_WORKSPACE_ROOT before all', () => {
    using at = folder()
    mkdirSync(at.path('.git'))
    expect(findWorkspace({ cwd: at.dir, env: { RALPH_WORKSPACE_ROOT: '/else/where/' } })).toBe('/else/where')
    expect(findWorkspace({ cwd: at.dir, env: { RALPH_WORKSPACE_ROOT: '' } })).toBe(at.dir)
  })
})

describe('a line goes to', () => {
  test('RALPH_EVENTS_FILE, with a note if --file is given too', () => {
    using at = folder()
    const place = { cwd: at.dir, env: { RALPH_EVENTS_FILE: 'f.jsonl' } }
    expect(resolveTarget(place)).toMatchObject({ path: at.path('f.jsonl'), named: false, notes: [] })
    expect(resolveTarget(place, 'g').path).toBe(at.path('f.jsonl'))
    expect(resolveTarget(place, 'g').notes.join()).toContain('--payload-file')
  })

  test('--file, relative to the current directory, before the marker', () => {
    using at = folder()
    mark(at, '.ralph/events-1.jsonl\n')
    mkdirSync(at.path('sub'))
    const place = { cwd: at.path('sub'), env: { RALPH_EVENTS_FILE: '' } }
    expect(resolveTarget(place, 'g')).toMatchObject({ path: at.path('sub', 'g'), named: true })
  })

  test('the file that the marker names, relative to the workspace', () => {
    using at = folder()
    mark(at, '.ralph/events-1.jsonl\n')
    writeFileSync(at.path('.ralph', 'events-1.jsonl'), '')
    mkdirSync(at.path('sub'))
    expect(resolveTarget({ cwd: at.path('sub'), env: {} })).toMatchObject({
      workspace: at.dir,
      path: at.path('.ralph', 'events-1.jsonl'),
      notes: [],
    })
    expect(hasMarker(at.dir)).toBe(true)
  })

  test('the file that the marker names although it is not there, which a note says', () => {
    using at = folder()
    mark(at, '.ralph/nowhere.jsonl\n')
    const target = resolveTarget({ cwd: at.dir, env: {} })
    expect(target.path).toBe(at.path('.ralph', 'nowhere.jsonl'))
    expect(target.notes.join()).toMatch(/nowhere\.jsonl, which was not there/)
  })

  test('the fallback without a marker, or with an empty one', () => {
    using at = folder()
    expect(resolveTarget({ cwd: at.dir, env: {} }).path).toBe(at.path('.ralph', 'events.jsonl'))
    mark(at, '\n')
    expect(readMarker(at.dir)).toBeNull()
    expect(resolveTarget({ cwd: at.dir, env: {} }).path).toBe(at.path('.ralph', 'events.jsonl'))
  })
})

describe('a marker that leads out of .ralph/ is ignored with a note', () => {
  const outside = (at: Folder) => {
    const { path, notes } = resolveTarget({ cwd: at.dir, env: {} })
    expect(path).toBe(at.path('.ralph', 'events.jsonl'))
    expect(notes.join()).toContain('current-events is ignored')
  }

  test.each([['../x.jsonl'], ['x.jsonl'], ['.ralph/../../x'], ['/etc/x'], ['.ralph'], ['.ralph-evil/x']])(
    '%s',
    (text) => {
      using at = folder()
      mark(at, text)
      outside(at)
    },
  )

  test('also if a link leads out', () => {
    using at = folder()
    mark(at, '.ralph/sub/deep/x.jsonl')
    mkdirSync(at.path('elsewhere'))
    symlinkSync(at.path('elsewhere'), at.path('.ralph', 'sub'))
    outside(at)
  })

  test('but not if .ralph itself is a link', () => {
    using at = folder()
    mkdirSync(at.path('real'))
    symlinkSync(at.path('real'), at.path('.ralph'))
    mark(at, '.ralph/sub/x.jsonl')
    expect(resolveTarget({ cwd: at.dir, env: {} }).path).toBe(at.path('.ralph', 'sub', 'x.jsonl'))
  })
})
