import { describe, expect, test } from 'bun:test'
import { checkConformance } from '../../../core/backend/conformance.ts'
import type { AgentTask, ProcessEnd, Verdict } from '../../../core/backend/contract.ts'
import { FAILURE_CLASSES } from '../../../core/backend/contract.ts'
import mock from '../../../plugins/mock/index.ts'
import { FAILURES, parseAssignment } from '../../../plugins/mock/wire.ts'
import { roleOf } from './rig.ts'

const TASK: AgentTask = {
  prompt: 'a prompt',
  cwd: '/w',
  args: ['--extra'],
  env: {},
  uid: 1,
  role: roleOf({}, '/run'),
  ralph: '/bin/ralph',
  script: '/w/m.yml',
}

const EXIT: ProcessEnd = { exitCode: 0, signal: null, stoppedByUs: false, stdoutTail: '', stderrTail: '' }
const CLEAN = '{"type":"end","ok":true,"text":"bye"}'
const FAILED = '{"type":"end","ok":false,"class":"quota","message":"none left","retry_after_ms":5}'

test('conforms to what the core relies on', async () => {
  expect(await checkConformance(mock)).toEqual([])
})

test('runs this very ralph, whatever program is configured, with the model and then the further arguments', () => {
  expect(mock.invoke(TASK)).toEqual({ argv: ['/bin/ralph', 'mock-agent', '--extra'], prompt: 'stdin' })
  expect(mock.invoke({ ...TASK, command: 'other', model: 'm' }).argv).toEqual([
    '/bin/ralph',
    'mock-agent',
    '--model',
    'm',
    '--extra',
  ])
})

test('writes one document with all that the player needs, then closes stdin', () => {
  const [write, close] = mock.open(TASK).start()
  const document = write && 'write' in write ? parseAssignment(write.write) : null
  expect(document).toEqual({ role: TASK.role, prompt: 'a prompt', ralph: '/bin/ralph', script: '/w/m.yml' })
  expect(close).toEqual({ closeStdin: true })
})

test('knows every failure class of the contract', () => {
  expect([...FAILURES].sort()).toEqual([...FAILURE_CLASSES].sort())
})

test('a tool is open from its start to its end', () => {
  const session = mock.open(TASK)
  const opened = [
    '{"type":"tool","id":"1","name":"bash","input":"ls"}',
    '{"type":"tool_result","id":"1","output":"a","is_error":false}',
  ].map((line) => session.line('out', line).at(-1))
  expect(opened).toEqual([{ event: { type: 'open', count: 1 } }, { event: { type: 'open', count: 0 } }])
})

test('records on stderr, and noise, say nothing', () => {
  const session = mock.open(TASK)
  for (const line of ['{"type":"text"}', '{"type":"end","ok":false,"class":"odd","message":"x"}', 'noise'])
    expect(session.line('out', line)).toEqual([])
  expect(session.line('err', CLEAN)).toEqual([])
})

describe('the verdict', () => {
  const VERDICTS: [lines: readonly string[], end: Partial<ProcessEnd>, verdict: Verdict][] = [
    [[CLEAN], {}, { ok: true }],
    [[], {}, { ok: false, class: 'unknown', message: 'ended without its end record' }],
    [
      [CLEAN, '{"type":"text","text":"more"}'],
      {},
      { ok: false, class: 'unknown', message: 'ended without its end record' },
    ],
    [[CLEAN], { exitCode: 2 }, { ok: false, class: 'crash', message: 'exit code 2' }],
    [[], { exitCode: null, signal: 'SIGSEGV' }, { ok: false, class: 'crash', message: 'ended by SIGSEGV' }],
    [[CLEAN], { exitCode: null, signal: 'SIGTERM', stoppedByUs: true }, { ok: true }],
    [[FAILED], { exitCode: 1 }, { ok: false, class: 'quota', message: 'none left', retryAfterMs: 5 }],
    [[FAILED], { exitCode: 0 }, { ok: false, class: 'quota', message: 'none left', retryAfterMs: 5 }],
  ]
  for (const [lines, end, verdict] of VERDICTS)
    test(`${lines.join(' ') || 'no record'}, ${JSON.stringify(end)}`, () => {
      const session = mock.open(TASK)
      for (const line of lines) session.line('out', line)
      expect(session.end({ ...EXIT, ...end }).verdict).toEqual(verdict)
    })
})
