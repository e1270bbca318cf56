import { describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { relative } from 'node:path'
import { createContents } from '../../../cli/trust/contents.ts'
import { createInside } from '../../../cli/trust/inside.ts'
import type { Executable } from '../../../core/trust/executable.ts'
import { type Sandbox, sandbox } from '../../helpers/sandbox.ts'

/** Paths of the files behind something, relative to the workspace. */
function behind(box: Sandbox, executable: Executable, onPath: string | null = null): string[] {
  const isInside = createInside(box.dir, box.home)
  const contents = createContents({ workspace: box.dir, isInside, which: () => onPath })
  return contents(executable)
    .map(({ path }) => relative(box.dir, path))
    .sort()
}

const call = (...words: string[]): Executable => ({
  kind: 'program',
  hat: '',
  words,
  more: false,
  places: [],
})
const plugin = (box: Sandbox): Executable => ({
  kind: 'plugin',
  name: 'own',
  path: box.path('.ralph/plugins/own.ts'),
})

describe('behind a command line are', () => {
  test('the program, and files that arguments name', async () => {
    await using box = sandbox()
    for (const path of ['run.sh', 'tool.py', 'mcp.json', 'other.md']) box.write(path, '')
    expect(behind(box, call('./run.sh', 'tool.py', '--mcp=mcp.json', '/bin/sh', 'absent'))).toEqual([
      'mcp.json',
      'run.sh',
      'tool.py',
    ])
  })

  test("programs in a shell's script, and not the files that its prose mentions", async () => {
    await using box = sandbox()
    box.script('run.sh', '')
    box.write('notes.md', '')
    expect(behind(box, call('sh', '-c', './run.sh "read notes.md"'))).toEqual(['run.sh'])
  })

  test('a program that PATH leads to, if it lies in the workspace', async () => {
    await using box = sandbox()
    const own = box.script('bin/agent', '')
    expect(behind(box, call('agent'), own)).toEqual(['bin/agent'])
    expect(behind(box, call('agent'), '/bin/sh')).toEqual([])
  })

  test('no folders, pipes or endless loops of links', async () => {
    await using box = sandbox()
    symlinkSync('loop', box.path('loop'))
    expect((await box.sh('mkfifo pipe')).code).toBe(0)
    expect(behind(box, call('.', 'pipe', 'loop'))).toEqual([])
  })
})

describe('behind a plugin are', () => {
  test('all files of the folder, and what they import from elsewhere in the workspace', async () => {
    await using box = sandbox()
    box.write(
      '.ralph/plugins/own.ts',
      `import type { A } from 'node:fs'\nimport x from '../../src/x.ts'\nexport default x`,
    )
    box.write('.ralph/plugins/lib/deep.json', '{}')
    box.write('src/x.ts', `import y from './y'\nexport default y`)
    box.write('src/y.ts', `export default await import('pkg')`)
    box.write('node_modules/pkg/index.js', `module.exports = require('./z.js')`)
    box.write('node_modules/pkg/z.js', '')
    box.write('src/unused.ts', '')
    expect(behind(box, plugin(box))).toEqual([
      '.ralph/plugins/lib/deep.json',
      '.ralph/plugins/own.ts',
      'node_modules/pkg/index.js',
      'node_modules/pkg/z.js',
      'src/x.ts',
      'src/y.ts',
    ])
  })

  test('what links lead to, each folder once', async () => {
    await using box = sandbox()
    box.write('../outside/real.ts', 'export default {}')
    box.write('.ralph/plugins/a/index.ts', 'syntax error {')
    symlinkSync('../../../outside/real.ts', box.path('.ralph/plugins/own.ts'))
    symlinkSync('..', box.path('.ralph/plugins/a/up'))
    expect(behind(box, plugin(box))).toEqual(['.ralph/plugins/a/index.ts', '.ralph/plugins/own.ts'])
  })
})
