import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { lookUpProgram } from '../../../core/agent/program.ts'
import { type Sandbox, sandbox } from '../../helpers/sandbox.ts'

function program(box: Sandbox, path: string): string {
  box.write(path, '#!/bin/sh\n')
  chmodSync(box.path(path), 0o755)
  return box.path(path)
}

test('a name is looked for in the folders of PATH, in their order; a path is taken as it is', async () => {
  await using box = sandbox()
  mkdirSync(box.path('empty'))
  const first = program(box, 'one/agent')
  const second = program(box, 'two/agent')
  const path = (...names: string[]) => names.map((name) => box.path(name)).join(':')
  expect(lookUpProgram('agent', path('empty', 'one', 'two'))).toBe(first)
  expect(lookUpProgram('agent', path('two', 'one'))).toBe(second)
  expect(lookUpProgram('./agent', path('one'))).toBe('./agent')
  expect(lookUpProgram('/nowhere/agent', path('one'))).toBe('/nowhere/agent')
})

test('a folder of PATH that is not absolute is left out, and nothing is started where only such could have it', async () => {
  await using box = sandbox()
  const agent = program(box, 'bin/agent')
  expect(lookUpProgram('agent', `.:${box.path('bin')}`)).toBe(agent)
  expect(lookUpProgram('agent', `:${box.path()}`)).toBeNull()
  // The system says best itself what it did not find.
  expect(lookUpProgram('agent', box.path())).toBe('agent')
})

test('all that start in one turn are looked up once, those of the next turn anew', async () => {
  await using box = sandbox()
  const first = program(box, 'one/agent')
  const second = program(box, 'two/agent')
  const path = `${box.path('one')}:${box.path('two')}`
  expect(lookUpProgram('agent', path)).toBe(first)
  rmSync(first)
  expect(lookUpProgram('agent', path)).toBe(first)
  await Promise.resolve()
  expect(lookUpProgram('agent', path)).toBe(second)
})
