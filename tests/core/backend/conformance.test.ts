import { describe, expect, test } from 'bun:test'
import { checkConformance } from '../../../core/backend/conformance.ts'
import type { Backend, Session } from '../../../core/backend/contract.ts'
import { defineBackend } from '../../../core/backend/define.ts'
import { builtins } from '../../../plugins/index.ts'

describe('built-in backends', () => {
  test.each(Object.keys(builtins))('%s conforms', async (name) => {
    const backend = await builtin(name)
    expect(await checkConformance(backend)).toEqual([])
  })

  test.each(Object.keys(builtins))('%s says of itself what the table says', async (name) => {
    const { summary, traits } = await builtin(name)
    expect({ name, summary, verified: traits.verified }).toEqual({
      name,
      summary: builtins[name]?.summary ?? '',
      verified: builtins[name]?.verified ?? false,
    })
  })
})

const MINIMAL = defineBackend({
  name: 'minimal',
  program: 'minimal',
  invoke: ({ command = 'minimal', args, prompt }) => ({ argv: [command, ...args, prompt], prompt: 'arg' }),
})

test('a backend of a name and an invoke conforms', async () => {
  expect(await checkConformance(MINIMAL)).toEqual([])
})

describe('what it finds', () => {
  let calls = 0
  const session = (change: Partial<Session>): Partial<Backend> => ({
    open: (task) => ({ ...MINIMAL.open(task), ...change }),
  })
  const stream = { ...MINIMAL.traits, output: 'stream' } as const

  test.each<[rule: string, what: string, change: Partial<Backend>]>([
    ['name', 'a name with capitals', { name: 'Mini' }],
    ['traits', 'a summary without words', { summary: ' ' }],
    ['traits', 'no words on access', { traits: { ...MINIMAL.traits, access: '' } }],
    ['traits', 'half a token', { traits: { ...MINIMAL.traits, contextWindow: 0.5 } }],
    ['traits', 'half a millisecond between starts', { traits: { ...MINIMAL.traits, startGapMs: 0.5 } }],
    ['traits', 'an hour between starts', { traits: { ...MINIMAL.traits, startGapMs: 3_600_000 } }],
    [
      'invoke',
      'an answer that changes',
      { invoke: (task) => ({ argv: ['x', ...task.args, `${calls++}`, task.prompt], prompt: 'arg' }) },
    ],
    [
      'invoke',
      'an empty word',
      { invoke: (task) => ({ ...MINIMAL.invoke(task), argv: ['/opt/agent', ''] }) },
    ],
    ['invoke', 'a long grace', { invoke: (task) => ({ ...MINIMAL.invoke(task), killGraceMs: 5000 }) }],
    [
      'arguments',
      'a program that cannot be replaced',
      { invoke: ({ args, prompt }) => ({ argv: ['x', ...args, prompt], prompt: 'arg' }) },
    ],
    [
      'arguments',
      'arguments behind the prompt',
      { invoke: ({ command, args, prompt }) => ({ argv: [command ?? 'x', prompt, ...args], prompt: 'arg' }) },
    ],
    [
      'arguments',
      'forgotten arguments',
      { invoke: ({ command, prompt }) => ({ argv: [command ?? 'x', prompt], prompt: 'arg' }) },
    ],
    ['model', 'a promised model that is not passed', { traits: { ...MINIMAL.traits, takesModel: true } }],
    ['effort', 'levels that are not passed', { traits: { ...MINIMAL.traits, effort: ['low'] } }],
    [
      'effort',
      'two levels that are the same to the program',
      {
        traits: { ...MINIMAL.traits, effort: ['low', 'high'] },
        invoke: (task) => {
          const { argv, ...rest } = MINIMAL.invoke(task)
          return {
            ...rest,
            argv: task.effort === undefined ? argv : [...argv.slice(0, 1), '--think', ...argv.slice(1)],
          }
        },
      },
    ],
    [
      'effort',
      'a level that nobody promised',
      {
        invoke: (task) => {
          const { argv, ...rest } = MINIMAL.invoke(task)
          return { ...rest, argv: [...argv.slice(0, 1), `--effort=${task.effort}`, ...argv.slice(1)] }
        },
      },
    ],
    ['setup', 'a range that is none', { setup: { troubles: [{ versions: '^1', text: 'slow' }] } }],
    ['setup', 'a trouble without words', { setup: { troubles: [{ versions: '*', text: ' ' }] } }],
    ['setup', 'words for a version', { setup: { measured: ['the newest'] } }],
    [
      'setup',
      'a login outside of the home',
      { setup: { login: { variables: [], files: [{ folder: '../other', name: 'key' }], how: 'log in' } } },
    ],
    [
      'setup',
      'a variable that is none',
      { setup: { login: { variables: ['MY KEY'], files: [], how: 'log in' } } },
    ],
    ['resume', 'a conversation that is not gone on with', { traits: { ...MINIMAL.traits, resumes: true } }],
    [
      'environment',
      'a variable of ours',
      { invoke: (task) => ({ ...MINIMAL.invoke(task), env: { unset: ['RALPH_AGENT'] } }) },
    ],
    [
      'prompt',
      'a prompt that is nowhere',
      { invoke: ({ command, args }) => ({ argv: [command ?? 'x', ...args], prompt: 'arg' }) },
    ],
    [
      'prompt',
      'a prompt that is promised on stdin and not written',
      {
        invoke: ({ command, args }) => ({ argv: [command ?? 'x', ...args], prompt: 'stdin' }),
        ...session({ start: () => [] }),
      },
    ],
    [
      'prompt',
      'a file for the prompt that argv does not name',
      { invoke: ({ command, args }) => ({ argv: [command ?? 'x', ...args], prompt: 'file' }) },
    ],
    ['unknown output', 'a parser that throws', session({ line: (_, text) => JSON.parse(text) })],
    ['verdict', 'a stream whose silence is a success', { traits: stream }],
    ['verdict', 'an end that always succeeds', session({ end: () => ({ says: [], verdict: { ok: true } }) })],
    [
      'verdict',
      'a failure without words',
      session({ end: () => ({ says: [], verdict: { ok: false, class: 'crash', message: '' } }) }),
    ],
    [
      'ask',
      'a session that cannot be asked',
      session({
        ask: () => {
          throw new Error('never')
        },
      }),
    ],
    [
      'detect',
      'an absence without a reason',
      { detect: async () => ({ found: false, program: 'x', problems: [] }) },
    ],
  ])('%s: %s', async (rule, _, change) => {
    const findings = await checkConformance({ ...MINIMAL, ...change })
    expect(findings.map((finding) => finding.rule)).toContain(rule)
  })
})

async function builtin(name: string): Promise<Backend> {
  const row = builtins[name]
  if (row === undefined) throw new Error(`no built-in ${name}`)
  return defineBackend((await row.load()).default)
}
