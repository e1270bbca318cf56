import { describe, expect, test } from 'bun:test'
import { type AccessRequest, grantAccess } from '../../cli/grant-access.ts'
import type { Access } from '../../core/access.ts'
import { defineBackend } from '../../core/backend/define.ts'
import { normalize } from '../../core/config/normalize.ts'
import { mapping, put, scalar } from '../../core/config/tree.ts'

const READER = {
  says: 'reads',
  delivers: 'events',
  heredoc: true,
  undoneBy: ['--yolo', '-s', 'sandbox_mode'],
} as const

const reader = defineBackend({
  name: 'reader',
  traits: { enforces: { read: READER } },
  invoke: () => ({ argv: ['x'], prompt: 'stdin' }),
})

interface Asked {
  readonly run?: Access
  readonly backend?: Access
  readonly hat?: Access
  /** Where the hat's stands. */
  readonly label?: string
  readonly args?: readonly string[]
  readonly more?: Partial<AccessRequest>
}

function grant({ run, backend, hat, label = 'ralph.yml', args = [], more = {} }: Asked) {
  const settings = normalize(
    {
      cli: run === undefined ? {} : { access: run },
      adapters: backend === undefined ? {} : { reader: { access: backend } },
      hats: { h: { name: 'h', ...(hat === undefined ? {} : { access: hat }) } },
    },
    ['h'],
  )
  const place = { origin: { label, path: null }, line: 3, column: 5 }
  const tree = put(mapping(place), ['hats', 'h', 'access'], scalar(hat ?? null, place))
  return grantAccess({
    settings,
    tree,
    hat: settings.hats[0] ?? null,
    backend: reader,
    args,
    needsEvents: true,
    undoing: () => null,
    ...more,
  })
}

describe('the narrowest of what is said counts', () => {
  test.each<[Asked, Access]>([
    [{}, 'full'],
    [{ run: 'full', hat: 'full' }, 'full'],
    [{ run: 'read' }, 'read'],
    [{ run: 'full', hat: 'read' }, 'read'],
    [{ run: 'read', hat: 'full' }, 'read'],
    [{ backend: 'read', hat: 'edit' }, 'read'],
  ])('%j is %s', (asked, access) => {
    expect(grant(asked)).toEqual({ ok: true, value: { access } })
  })
})

describe('what the program cannot be held to', () => {
  test('is refused with the place where it is asked for, and the backend’s name', () => {
    expect(grant({ hat: 'edit' })).toEqual({
      ok: false,
      error: 'ralph.yml:3:5: hats.h.access: backend "reader" has no way to hold its program to access "edit"',
    })
  })

  test('is refused where a file of the workspace would undo it, with what the file does', () => {
    const more = {
      undoing: (_: unknown, level: string) => `x.json would undo access "${level}": it runs things`,
    }
    expect(grant({ run: 'read', more })).toEqual({
      ok: false,
      error: 'ralph.yml:3:5: cli.access: x.json would undo access "read": it runs things',
    })
    expect(grant({ run: 'full', more })).toEqual({ ok: true, value: { access: 'full' } })
    // Else a file of a stranger's would make a preset's agents play with full access.
    expect(grant({ hat: 'read', label: 'builtin:review', more })).toEqual({
      ok: false,
      error: 'builtin:review:3:5: hats.h.access: x.json would undo access "read": it runs things',
    })
  })

  test('is passed over where only a built-in preset asks for it', () => {
    expect(grant({ hat: 'edit', label: 'builtin:review' })).toMatchObject({
      ok: true,
      value: { access: 'full', passedOver: { level: 'edit' } },
    })
  })

  test('leaves the level that the user sets, where a preset asks for less', () => {
    const writer = defineBackend({ ...reader, traits: { enforces: { edit: READER } } })
    const asked = { run: 'edit', hat: 'read', label: 'builtin:review', more: { backend: writer } } as const
    expect(grant(asked)).toMatchObject({ ok: true, value: { access: 'edit', passedOver: { level: 'read' } } })
  })

  test('is never passed over where the user asks for it too', () => {
    expect(grant({ run: 'edit', hat: 'edit', label: 'builtin:review' })).toMatchObject({ ok: false })
  })

  test.each(['--yolo', '--yolo=1', '-s', '-sfull', 'sandbox_mode=x', '--config=sandbox_mode.a=x'])(
    'is what the argument %s would undo',
    (word) => {
      expect(grant({ run: 'read', args: ['--fine', word] })).toEqual({
        ok: false,
        error: expect.stringContaining(`the argument ${word} of backend "reader" would undo access "read"`),
      })
      expect(grant({ args: [word] })).toMatchObject({ ok: true })
    },
  )

  test.each(['--yolox', '--sandbox', 'sandbox_model=x', 'prose about --yolo mode'])(
    'is not what %s would undo',
    (word) => {
      expect(grant({ run: 'read', args: [word] })).toMatchObject({ ok: true })
    },
  )
})

test('a final message is result enough for an item, and for nothing else', () => {
  const backend = defineBackend({
    ...reader,
    traits: { enforces: { read: { ...READER, delivers: 'message' } } },
  })
  expect(grant({ run: 'read', more: { backend, needsEvents: false } })).toMatchObject({ ok: true })
  expect(grant({ run: 'read', more: { backend } })).toEqual({
    ok: false,
    error: expect.stringContaining('wave run'),
  })
})
