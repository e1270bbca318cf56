import { resolve } from 'node:path'
import { startAgent } from '../../../core/agent/agent.ts'
import type { AgentHandle, AgentJob, AgentNote, Clocks, ProcessReport } from '../../../core/agent/contract.ts'
import { wholeText } from '../../../core/agent/long-text.ts'
import { endProcesses, findStrays } from '../../../core/agent/strays.ts'
import type { AgentTask, Backend, Say, Session } from '../../../core/backend/contract.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { type Sandbox, sandbox } from '../../helpers/sandbox.ts'

/** One fixture program, run as an agent. What it leaves behind is ended when it is disposed. */
export interface Rig extends AsyncDisposable {
  readonly handle: AgentHandle
  readonly marker: string
  readonly notes: readonly AgentNote[]
  readonly box: Sandbox
  /** Waits for a note, earlier ones included. */
  note<T extends AgentNote['type']>(type: T): Promise<Extract<AgentNote, { type: T }>>
  /** Waits for a line of text output that begins like this, and gives the rest. */
  line(start: string): Promise<string>
  readonly ended: Promise<Ended>
  text(stream: 'stdout' | 'stderr'): string
}

/** A long final message was read when it was told of. */
export type Ended = ProcessReport & { readonly finalMessage: string }

export interface Options {
  readonly args?: readonly string[]
  readonly prompt?: string
  readonly backend?: Backend
  readonly clocks?: Partial<Clocks>
  readonly killStrays?: boolean
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly command?: string
  readonly secrets?: Secrets
  /** What the workspace needs before the start. */
  readonly arrange?: (box: Sandbox) => void
}

export const FIXTURES = resolve(import.meta.dir, '../../fixtures/agents')

let numbers = 0

/** A marker that no other process has. */
export function newMarker(): string {
  numbers++
  return `test-${process.pid}-${numbers}:1`
}

export function runFixture(name: string, options: Options = {}): Rig {
  const box = sandbox()
  options.arrange?.(box)
  const marker = newMarker()
  const notes: AgentNote[] = []
  const waiting = new Set<() => void>()
  const job: AgentJob = {
    marker,
    backend: options.backend ?? textBackend(),
    task: task(box, options.command ?? `${FIXTURES}/${name}`, options),
    env: box.env({ RALPH_AGENT: marker, KEPT: 'yes', ...options.env }),
    logs: { stdout: box.path('logs/stdout.log'), stderr: box.path('logs/stderr.log') },
    clocks: { limitMs: null, inactivityMs: null, exitGraceMs: 0, emitGraceMs: 0, ...options.clocks },
    killStrays: options.killStrays ?? false,
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
  }
  const handle = startAgent(job, (note) => {
    notes.push(note.type === 'ended' ? { ...note, end: read(note.end) } : note)
    for (const look of waiting) look()
  })

  function wait<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = find()
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  }

  const rig: Omit<Rig, typeof Symbol.asyncDispose> = {
    handle,
    marker,
    notes,
    box,
    note: (type) => wait(() => notes.find((note) => isOf(note, type))),
    line: (start) =>
      wait(() => {
        const texts = notes.flatMap((note) =>
          note.type === 'said' && note.event.type === 'text' ? [note.event.text] : [],
        )
        return texts
          .find((text) => text.startsWith(start))
          ?.slice(start.length)
          .trim()
      }),
    ended: wait(() => {
      const end = notes.find((note) => note.type === 'ended')?.end
      return end && read(end)
    }),
    text: (stream) => box.read(`logs/${stream}.log`),
  }
  return {
    ...rig,
    async [Symbol.asyncDispose]() {
      handle.kill()
      await rig.ended
      const started = notes.find((note) => note.type === 'started')
      await endProcesses(await findStrays([marker], started?.pid), 0)
      await box[Symbol.asyncDispose]()
    },
  }
}

function read(end: ProcessReport): Ended {
  return { ...end, finalMessage: wholeText(end.finalMessage) }
}

/** Text output: each line of stdout is said. The verdict is the exit code. */
export function textBackend(more: Partial<Backend> & { readonly prompt?: 'arg' | 'stdin' } = {}): Backend {
  const prompt = more.prompt ?? 'stdin'
  return {
    name: 'fake',
    summary: 'a fixture',
    traits: traits('text'),
    detect: async () => ({ found: true, program: 'fake', problems: [] }),
    invoke: (one) => ({
      argv: [one.command ?? '', ...one.args, ...(prompt === 'arg' ? [one.prompt] : [])],
      prompt,
    }),
    open: (one) => ({
      start: () => (prompt === 'arg' ? [] : [{ write: one.prompt }, { closeStdin: true }]),
      line: (stream, text) => (stream === 'out' ? [{ event: { type: 'text', text } }] : []),
      ask: () => [],
      end: ({ exitCode, signal }) => ({
        says: [],
        verdict:
          exitCode === 0
            ? { ok: true }
            : { ok: false, class: 'crash', message: signal ?? `exit code ${exitCode}` },
      }),
    }),
    ...more,
  }
}

/** Structured output: a line `{"says":[…]}` is what the session says. Without a terminal record it has failed. */
export function streamBackend(session: Partial<Session> = {}): Backend {
  return {
    ...textBackend(),
    traits: traits('stream'),
    open() {
      let done = false
      return {
        start: () => [{ closeStdin: true }],
        line(stream, text) {
          if (stream === 'err' || !text.startsWith('{"says"')) return []
          const { says } = JSON.parse(text) as { says: Say[] }
          done ||= says.some((say) => 'event' in say && say.event.type === 'terminal')
          return says
        },
        ask: () => [],
        end: () => ({
          says: [],
          verdict: done ? { ok: true } : { ok: false, class: 'unknown', message: 'no terminal record' },
        }),
        ...session,
      }
    },
  }
}

/** A line that makes a session of `streamBackend` say this. */
export function record(...events: readonly (Say & { event: unknown })['event'][]): string {
  return JSON.stringify({ says: events.map((event) => ({ event })) })
}

function isOf<T extends AgentNote['type']>(
  note: AgentNote,
  type: T,
): note is Extract<AgentNote, { type: T }> {
  return note.type === type
}

function traits(output: 'text' | 'stream'): Backend['traits'] {
  return {
    output,
    reportsCost: false,
    reportsTokens: false,
    takesModel: false,
    resumes: false,
    contextWindow: 0,
    startGapMs: 0,
    shell: { heredoc: true, substitution: true, keepsPath: true, keepsEnvironment: true, keepsGit: true },
    enforces: {},
    env: [],
    access: 'everything',
    verified: true,
  }
}

function task(box: Sandbox, command: string, { args = [], prompt = '', cwd = box.dir }: Options): AgentTask {
  return {
    prompt,
    cwd,
    command,
    args,
    env: {},
    uid: 0,
    ralph: '/nowhere/ralph',
    role: {
      kind: 'item',
      hats: [],
      runId: 'test',
      agent: 1,
      attempt: 1,
      runDir: box.dir,
      events: [],
      objective: '',
      completionPromise: '',
      graph: [],
    },
  }
}
