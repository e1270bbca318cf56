import { describe, expect, test } from 'bun:test'
import { defineBackend } from '../../core/backend/define.ts'
import { builtins } from '../../plugins/index.ts'
import { TASK } from './replay.ts'

/**
 * How each program is told, and its levels. Those of claude, codex, pi and opencode were seen to reach the model; a word that
 * it does not know, claude, pi and opencode pass over without a sound.
 */
const TOLD: Readonly<Record<string, readonly [words: readonly string[], levels: string]>> = {
  claude: [['--effort', 'high'], 'low medium high xhigh max'],
  codex: [['-c', 'model_reasoning_effort=high'], 'none minimal low medium high xhigh'],
  copilot: [['--reasoning-effort', 'high'], 'none minimal low medium high xhigh max'],
  opencode: [['--variant', 'high'], 'none minimal low medium high xhigh max'],
  pi: [['--thinking', 'high'], 'off minimal low medium high xhigh'],
  mock: [['--effort', 'high'], 'off none minimal low medium high xhigh max'],
}

const load = async (name: string) => {
  const row = builtins[name]
  if (row === undefined) throw new Error(`no built-in ${name}`)
  return defineBackend((await row.load()).default)
}

test('only these have a setting for effort', async () => {
  const all = await Promise.all(Object.keys(builtins).map(load))
  const able = all.filter(({ traits }) => traits.effort !== undefined).map(({ name }) => name)
  expect(able.toSorted()).toEqual(Object.keys(TOLD).toSorted())
})

describe.each(Object.entries(TOLD))('%s', (name, [words, levels]) => {
  test('is told by a flag of its own, before the further arguments', async () => {
    const backend = await load(name)
    const { argv } = backend.invoke({ ...TASK, effort: 'high', args: ['--further'] })
    const line = ` ${argv.join(' ')} `
    expect(line).toContain(` ${words.join(' ')} `)
    expect(line.indexOf(' --further ')).toBeGreaterThan(line.indexOf(` ${words.join(' ')} `))
    expect(backend.invoke({ ...TASK, args: [] }).argv).not.toContain(words[1])
  })

  test('has the levels that it was seen to take', async () => {
    expect((await load(name)).traits.effort?.join(' ')).toBe(levels)
  })
})

test('the mock takes every level of every program, so that a configuration is rehearsed as it is', async () => {
  const mock = (await load('mock')).traits.effort ?? []
  const all = await Promise.all(Object.keys(TOLD).map(load))
  for (const { traits } of all) expect(mock).toEqual(expect.arrayContaining([...(traits.effort ?? [])]))
})
