import { describe, expect, test } from 'bun:test'
import { agentOfAncestors, signature } from '../../cli/signature.ts'

const never = () => {
  throw new Error('not asked for')
}

describe('the agent is', () => {
  test('RALPH_AGENT of the writer', () => {
    expect(signature({ RALPH_AGENT: 'r:1' }, never, never)).toEqual({ agent: 'r:1' })
  })

  test('else that of an ancestor, if the workspace has a run', () => {
    const ancestor = () => 'r:2'
    expect(signature({}, () => true, ancestor)).toEqual({ agent: 'r:2' })
    expect(signature({ RALPH_AGENT: '' }, () => true, ancestor)).toEqual({ agent: 'r:2' })
  })

  test('else nobody', () => {
    expect(
      signature(
        {},
        () => true,
        () => null,
      ),
    ).toEqual({})
    expect(signature({}, () => false, never)).toEqual({})
  })
})

test.each([
  ['both variables', { RALPH_WAVE_ID: 'w-1', RALPH_WAVE_INDEX: '2' }, { id: 'w-1', index: 2 }],
  [
    'the largest index',
    { RALPH_WAVE_ID: 'w', RALPH_WAVE_INDEX: '4294967295' },
    { id: 'w', index: 4294967295 },
  ],
  ['an index too large', { RALPH_WAVE_ID: 'w', RALPH_WAVE_INDEX: '4294967296' }, undefined],
  ['no index', { RALPH_WAVE_ID: 'w-1' }, undefined],
  ['no id', { RALPH_WAVE_INDEX: '2' }, undefined],
  ['an empty id', { RALPH_WAVE_ID: '', RALPH_WAVE_INDEX: '2' }, undefined],
  ['an index that is no number', { RALPH_WAVE_ID: 'w-1', RALPH_WAVE_INDEX: 'x' }, undefined],
  ['an empty index', { RALPH_WAVE_ID: 'w-1', RALPH_WAVE_INDEX: '' }, undefined],
  ['a negative index', { RALPH_WAVE_ID: 'w-1', RALPH_WAVE_INDEX: '-1' }, undefined],
])('the wave tag with %s', (_, env, wave) => {
  expect(signature(env, () => false).wave).toEqual(wave as { id: string; index: number })
})

describe.skipIf(process.platform !== 'linux')('among processes', () => {
  test('the nearest one that carries an agent tells, whatever its descendants dropped', async () => {
    const inner = `RALPH_AGENT=outer:1 bash -c 'RALPH_AGENT=inner:2 bash -c "env -i /bin/sleep 60 & echo \\$!; wait"'`
    const tree = Bun.spawn(['bash', '-c', `${inner}; :`], { stdout: 'pipe', detached: true })
    try {
      const { value } = await tree.stdout.getReader().read()
      expect(agentOfAncestors(Number(Buffer.from(value ?? []).toString()))).toBe('inner:2')
    } finally {
      process.kill(-tree.pid, 'SIGKILL')
      await tree.exited
    }
  })

  test('a process that is gone has none', () => {
    expect(agentOfAncestors(2 ** 22 + 1)).toBeNull()
  })
})
