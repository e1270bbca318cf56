import { describe, expect, test } from 'bun:test'
import type { CommandDef } from 'citty'
import fc from 'fast-check'
import { type CommandSpec, parseArguments } from '../../cli/arguments.ts'
import { childrenOf, settled } from '../../cli/choice.ts'
import { specOf } from '../../cli/command.ts'
import { TREE } from '../../cli/tree.ts'
import { RalphError } from '../../core/errors.ts'
import { atMost } from '../helpers/at-most.ts'
import { sandbox } from '../helpers/sandbox.ts'
import { anyText, holds } from './property.ts'

const specs = await leaves(TREE)

async function leaves(command: CommandDef): Promise<CommandSpec[]> {
  const children = await childrenOf(command)
  if (children === null) return [specOf(command) ?? []].flat()
  const found: CommandSpec[] = []
  for (const child of Object.values(children)) found.push(...(await leaves(await settled(child))))
  return found
}

function word(spec: CommandSpec): fc.Arbitrary<string> {
  const flags = Object.keys(spec.flags)
  return fc.oneof(
    anyText.filter((text) => !text.includes('\u0000')),
    fc.constantFrom(...flags).map((flag) => `--${flag}`),
    fc.tuple(fc.constantFrom(...flags), anyText).map(([flag, value]) => `--${flag}=${value}`),
    fc.constantFrom(
      '-',
      '--',
      '-c',
      '-vv',
      '-p',
      '-0',
      '-5',
      '--no-color',
      '--help',
      'emit',
      'a.b',
      '--=',
      '-=',
    ),
  )
}

describe('the command line, with any words', () => {
  test.each(specs.map((spec) => [spec.name, spec] as const))(
    'ralph %s reads them or says what is wrong with them, and drops none',
    (_, spec) =>
      holds(
        fc.property(
          fc.array(word(spec), { maxLength: 8 }),
          fc.array(anyText, { maxLength: 3 }),
          (words, rest) => {
            const argv = [...words, '--', ...rest]
            let parsed: ReturnType<typeof parseArguments>
            try {
              parsed = parseArguments(spec, argv)
            } catch (error) {
              if (!(error instanceof RalphError)) throw error
              expect([error.code, error.exitCode]).toEqual(['usage', 2])
              return
            }
            const end = argv.indexOf('--')
            const kept = [...parsed.positionals, ...parsed.given.map(({ value }) => value), ...parsed.rest]
            for (const one of argv.slice(end + 1)) expect(kept).toContain(one)
            for (const one of argv.slice(0, end)) if (!one.startsWith('-')) expect(kept).toContain(one)
          },
        ),
        200,
      ),
  )
})

/** Commands that end of their own accord, whatever they are given. */
const HARMLESS = [
  'emit',
  'wave emit',
  'wave results',
  'events',
  'hats list',
  'status',
  'presets show',
  'plugins list',
]

test('the program ends with 0, 1 or 2 and a sentence, never with a stack, whatever its words', async () => {
  await using box = sandbox()
  const place = atMost(4)
  const words = fc.sample(
    fc.array(
      fc.oneof(
        anyText.filter((text) => !text.includes('\u0000')),
        fc.constantFrom(
          '--help',
          '--json',
          '--stdin',
          '-c',
          'a.b',
          '--',
          '-',
          '--payloads',
          '--file',
          '--format',
          'x=y',
        ),
      ),
      { maxLength: 5 },
    ),
    { seed: 1, numRuns: 80 },
  )
  await Promise.all(
    words.map((some, i) =>
      place(async () => {
        const argv = [...(HARMLESS[i % HARMLESS.length] ?? '').split(' '), ...some]
        const { code, stderr } = await box.ralph(argv)
        expect({ argv, code: [0, 1, 2].includes(code), stack: /\n\s+at .*:\d+/.test(stderr) }).toEqual({
          argv,
          code: true,
          stack: false,
        })
        if (code !== 0) expect(stderr.trim()).not.toBe('')
      }),
    ),
  )
})
