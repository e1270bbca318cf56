import { expect, test } from 'bun:test'
import { readMaxWaveItems } from '../../cli/max-wave-items.ts'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'

const yaml = (count: number | string) => `features:\n  max_wave_items: ${count}\n`

const read = (box: Sandbox, overrides: readonly string[] = [], env: Record<string, string> = {}) =>
  readMaxWaveItems({ cwd: box.dir, env: { HOME: box.home, ...env } }, box.dir, overrides)

test('it is 100 without a config', async () => {
  await using box = sandbox()
  expect(await read(box)).toBe(100)
})

test.each([
  ['the workspace', 'ralph.yml', yaml(2), 2],
  ['a config without the key', 'ralph.yml', 'cli: {}\n', 100],
  ['a comment that names the key', 'ralph.yml', '# max_wave_items: 5\n', 100],
  ['a value that is none', 'ralph.yml', yaml('many'), 100],
  ['zero', 'ralph.yml', yaml(0), 100],
  ['a file that is no YAML', 'ralph.yml', 'max_wave_items: [', 100],
])('%s', async (_, path, text, expected) => {
  await using box = sandbox()
  box.write(path, text)
  expect(await read(box)).toBe(expected)
})

test("the user's own file counts where the main file says nothing", async () => {
  await using box = sandbox()
  box.write('../home/.ralph/config.yml', yaml(7))
  expect(await read(box)).toBe(7)
  box.write('ralph.yml', yaml(9))
  expect(await read(box)).toBe(9)
})

test('RALPH_CONFIG stands in for ralph.yml, and -c FILE for both', async () => {
  await using box = sandbox()
  box.write('ralph.yml', yaml(2))
  box.write('other.yml', yaml(3))
  box.write('third=.yml', yaml(4))
  const env = { RALPH_CONFIG: 'other.yml' }
  expect(await read(box, [], env)).toBe(3)
  expect(await read(box, ['third=.yml', 'ralph.yml'], env)).toBe(4)
})

test('-c KEY=VALUE wins over all files, the last one over the others', async () => {
  await using box = sandbox()
  box.write('ralph.yml', yaml(2))
  const key = 'features.max_wave_items'
  expect(await read(box, [`${key}=5`, `${key}=6`, 'core.specs_dir=x'])).toBe(6)
})

test.each([['features.max_wave_items=many'], ['features.max_wave_items=0'], ['missing.yml']])(
  '-c %s is an error',
  async (override) => {
    await using box = sandbox()
    await expect(read(box, [override])).rejects.toThrow(override.split('=')[0] ?? '')
  },
)
