import { expect, test } from 'bun:test'
import type { Backend, Invocation } from '../../core/backend/contract.ts'
import amp from '../../plugins/amp/index.ts'
import forge from '../../plugins/forge/index.ts'
import kiro from '../../plugins/kiro/index.ts'
import roo from '../../plugins/roo/index.ts'
import { TASK } from './replay.ts'

const task = { ...TASK, prompt: 'P', promptFile: '/tmp/p.md', args: ['--a', '--b'] }

test.each([
  [amp, ['amp', '--dangerously-allow-all', '--a', '--b', '-x', 'P'], 'arg'],
  [kiro, ['kiro-cli', 'chat', '--no-interactive', '--trust-all-tools', '--a', '--b', 'P'], 'arg'],
  [forge, ['forge', '--a', '--b', '-p', 'P'], 'arg'],
  [roo, ['roo', '--print', '--ephemeral', '--a', '--b', '--prompt-file', '/tmp/p.md'], 'file'],
] satisfies [Backend, string[], Invocation['prompt']][])(
  'the command line of $name has further arguments before the prompt',
  (backend, argv, prompt) => {
    expect(backend.invoke(task)).toEqual({ argv, prompt })
  },
)

test.each([kiro, roo])('$name takes a model by its own flag', (backend) => {
  const { argv } = backend.invoke({ ...task, model: 'm' })
  expect(argv.slice(argv.indexOf('--model'))).toEqual(['--model', 'm', ...argv.slice(argv.indexOf('--a'))])
})

test.each([amp, forge, kiro, roo])('$name talks text, and says that it is unverified', ({ traits }) => {
  expect(traits).toMatchObject({ output: 'text', verified: false, reportsCost: false, reportsTokens: false })
})
