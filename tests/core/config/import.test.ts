import { describe, expect, test } from 'bun:test'
import { faults, loaded } from './fixture.ts'

const builder = 'name: Builder\ndescription: builds\ntriggers: [go]\nargs: [q]\n'

describe('import', () => {
  test('takes a hat from a file beside the importing one; local keys win', async () => {
    const { settings, files } = await loaded({
      hats: 'flows/f.yml',
      files: {
        'flows/f.yml': 'hats: {b: {import: ../shared/b.yml, name: Mine, args: [own]}}',
        'shared/b.yml': builder,
      },
    })
    expect(settings.hats).toMatchObject([
      { id: 'b', name: 'Mine', description: 'builds', triggers: ['go'], backendArgs: ['own'] },
    ])
    expect(files.map(({ path }) => path.replace(/^.*work\//, ''))).toEqual(['flows/f.yml', 'shared/b.yml'])
  })

  test('keeps the alias of the imported file', async () => {
    const { settings } = await loaded({ yaml: 'hats: {b: {import: b.yml}}', files: { 'b.yml': builder } })
    expect(settings.hats[0]?.backendArgs).toEqual(['q'])
  })

  test('works from -c, relative to the workspace', async () => {
    const { settings } = await loaded({ configArgs: ['hats.b.import=b.yml'], files: { 'b.yml': builder } })
    expect(settings.hats[0]?.name).toBe('Builder')
  })

  const yaml = 'hats:\n  b: {import: b.yml}\n'
  test.each([
    [
      'a missing file',
      {},
      /^ralph\.yml:2:7: hats\.b\.import: hat "b" cannot import .*\/b\.yml: no such file$/,
    ],
    [
      'an import inside',
      { 'b.yml': `${builder}import: c.yml` },
      /^b\.yml:5:9: import: an imported hat cannot import another$/,
    ],
    [
      'events inside',
      { 'b.yml': `${builder}events: {}` },
      /^b\.yml:5:9: events: an imported file holds one hat/,
    ],
    [
      'an unknown key inside',
      { 'b.yml': `${builder}modle: x` },
      /^b\.yml:5:1: modle: unknown key, did you mean "model"\?$/,
    ],
    ['a wrong name inside', { 'b.yml': 'name: 5' }, /^b\.yml:1:7: name: must be a string, not 5$/],
    [
      'both names of one key inside',
      { 'b.yml': `${builder}backend_args: []` },
      /^b\.yml:4:1: args: means backend_args, which is set too$/,
    ],
    ['broken YAML inside', { 'b.yml': '[' }, /^b\.yml:/],
  ])('%s is an error', async (_, files, expected) => {
    const found = await faults({ yaml, files })
    expect(found[0]).toMatch(expected)
  })

  test('is an error in a built-in collection', async () => {
    expect(await faults({ hats: 'builtin:importing' })).toEqual([
      'builtin:importing:3:5: hats.a.import: not allowed in a built-in hat collection',
    ])
  })
})
