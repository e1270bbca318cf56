import { beforeAll, expect, test } from 'bun:test'
import type { AgentEvent, AgentTask, ProcessEnd, Verdict } from '../../core/backend/contract.ts'
import claude from '../../plugins/claude/index.ts'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { TASK } from '../plugins/replay.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { CLAUDE_VERSION, claude as pinned } from './programs/claude.ts'
import { settle } from './programs/index.ts'

let program = ''
beforeAll(async () => {
  program = await pinned.install()
}, 300_000)

test('the real program is found by its version, and root is warned', async () => {
  const look = {
    env: {},
    uid: 0,
    which: () => program,
    run: async () => {
      const child = Bun.spawn([program, '--version'], { stdin: 'ignore', stdout: 'pipe' })
      return { exitCode: await child.exited, stdout: await child.stdout.text(), stderr: '' }
    },
  }
  const detection = await claude.detect(look)
  expect(detection.version).toContain(CLAUDE_VERSION)
  expect(detection.problems).toHaveLength(1)
})

test('the real program runs a tool and ends with a result, cost and tokens', async () => {
  await using box = sandbox()
  await using model = startModelServer(({ turn }) =>
    turn === 0 ? { text: 'I write.', command: 'printf %s "$MARK" > out.txt' } : { text: 'Written.' },
  )
  const run = await converse(box, model, { MARK: 'kept' })
  expect(run.verdict).toEqual({ ok: true })
  expect(box.read('out.txt')).toBe('kept')
  expect(lastOf(run.events, 'final')).toMatchObject({ text: 'Written.' })
  expect(lastOf(run.events, 'usage')).toMatchObject({ usage: { input: 2000, output: 40, context: 1000 } })
  expect(lastOf(run.events, 'turns')).toMatchObject({ turns: 2 })
  expect(lastOf(run.events, 'cost')?.usd).toBeGreaterThan(0)
  expect(run.events.map((event) => event.type)).toContain('tool_end')
  expect(model.requests.map((request) => request.prompt)).toContainEqual(expect.stringContaining('go'))
}, 60_000)

test('nothing of a session around us reaches the real program', async () => {
  await using box = sandbox()
  await using model = startModelServer(({ turn }) =>
    turn === 0 ? { text: 'I look.', command: 'env > env.txt' } : { text: 'Looked.' },
  )
  await converse(box, model, { CLAUDE_CODE_SESSION_ID: 'outer', CLAUDE_PID: '1', AI_AGENT: 'outer' })
  const seen = box.read('env.txt')
  expect(seen).not.toContain('outer')
  expect(seen).not.toContain('CLAUDE_PID=1\n')
}, 60_000)

test.each([
  [401, 'authentication_error', 'auth'],
  [404, 'not_found_error', 'model'],
  [429, 'rate_limit_error', 'rate_limit'],
  [529, 'overloaded_error', 'overload'],
] as const)(
  'an answer %d of the API is told as a failure of its class',
  async (status, errorType, reason) => {
    await using box = sandbox()
    await using model = startModelServer(() => ({ status, errorType }))
    const run = await converse(box, model, { CLAUDE_CODE_MAX_RETRIES: '0' })
    expect(run.verdict).toMatchObject({ ok: false, class: reason })
  },
  60_000,
)

interface Conversation {
  readonly events: readonly AgentEvent[]
  readonly verdict: Verdict
}

/** Runs the program as the plugin says, and feeds the session with what it prints. */
async function converse(
  box: Sandbox,
  model: ModelServer,
  more: Record<string, string>,
): Promise<Conversation> {
  const env = box.env({ ...(await settle(pinned, box, model)), ...more })
  const task: AgentTask = { ...TASK, cwd: box.dir, env, command: program, model: 'claude-sonnet-4-5' }
  const { argv, env: change } = claude.invoke(task)
  const session = claude.open(task)
  const written = session.start().flatMap((say) => ('write' in say ? say.write : []))
  const kept = Object.entries(env).filter(([name]) => !change?.unset?.includes(name))
  const child = Bun.spawn([...argv], {
    cwd: box.dir,
    env: { ...Object.fromEntries(kept), ...change?.set },
    stdin: Buffer.from(written.join('')),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const says = [
    ...err.split('\n').flatMap((line) => session.line('err', line)),
    ...out.split('\n').flatMap((line) => session.line('out', line)),
  ]
  const end: ProcessEnd = {
    exitCode: child.exitCode,
    signal: null,
    stoppedByUs: false,
    stdoutTail: out.slice(-2000),
    stderrTail: err.slice(-2000),
  }
  const last = session.end(end)
  const events = [...says, ...last.says].flatMap((say) => ('event' in say ? [say.event] : []))
  return { events, verdict: last.verdict }
}

function lastOf<T extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: T,
): Extract<AgentEvent, { type: T }> | undefined {
  return events.findLast((event): event is Extract<AgentEvent, { type: T }> => event.type === type)
}
