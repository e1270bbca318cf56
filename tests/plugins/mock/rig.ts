import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AgentEvent, AgentTask, Role, Say, Verdict } from '../../../core/backend/contract.ts'
import mock from '../../../plugins/mock/index.ts'
import type { LedgerLine } from '../../../plugins/mock/ledger.ts'
import { type Sandbox, sandbox } from '../../helpers/sandbox.ts'

const MAIN = resolve(import.meta.dir, '../../../cli/main.ts')

export interface Act {
  readonly verdict: Verdict
  readonly events: readonly AgentEvent[]
  readonly exitCode: number | null
  readonly signal: string | null
  /** What it said, joined. */
  readonly said: string
  /** The last `final` event's text. */
  readonly final: string | null
}

export interface Acting {
  readonly pid: number
  readonly done: Promise<Act>
  /** Resolves when the player has said something that contains `text`. */
  heard(text: string): Promise<void>
}

export interface Cast {
  readonly role?: Partial<Role>
  readonly script?: string
  /** In place of `script`. */
  readonly scriptPath?: string
  readonly prompt?: string
  readonly model?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Plays single agents as the core does: the backend's own command line and session, real processes, the real commands. */
export interface Rig extends AsyncDisposable {
  readonly box: Sandbox
  /** The run's events file. */
  readonly eventsFile: string
  act(cast?: Cast): Promise<Act>
  begin(cast?: Cast): Acting
  events(): Record<string, unknown>[]
  ledger(): readonly LedgerLine[]
}

export function rig(): Rig {
  const box = sandbox()
  const runDir = join(box.home, 'run')
  const ralph = join(box.home, 'ralph')
  mkdirSync(runDir)
  writeFileSync(ralph, `#!/bin/sh\nexec '${process.execPath}' --no-install '${MAIN}' "$@"\n`)
  chmodSync(ralph, 0o755)
  const living = new Set<Bun.Subprocess>()

  const begin = (cast: Cast = {}): Acting => {
    const task = taskOf(cast, ralph, runDir, box)
    const session = mock.open(task)
    const child = Bun.spawn([...mock.invoke(task).argv], {
      cwd: box.dir,
      env: box.env({ RALPH_EVENTS_FILE: box.path('.ralph/events.jsonl'), ...cast.env }),
      stdin: Buffer.from(writtenBy(session.start())),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    living.add(child)
    const events: AgentEvent[] = []
    const waiting: { readonly text: string; readonly wake: () => void }[] = []
    const take = (says: readonly Say[]): void => {
      for (const say of says) if ('event' in say) events.push(say.event)
      for (const { text, wake } of waiting) if (saidIn(events).includes(text)) wake()
    }
    const read = async (): Promise<Act> => {
      await Promise.all([
        eachLine(child.stdout, (line) => take(session.line('out', line))),
        eachLine(child.stderr, (line) => take(session.line('err', line))),
        child.exited,
      ])
      living.delete(child)
      const signal = child.signalCode === null ? null : String(child.signalCode)
      const exitCode = signal === null ? child.exitCode : null
      const { says, verdict } = session.end({
        exitCode,
        signal,
        stoppedByUs: false,
        stdoutTail: '',
        stderrTail: '',
      })
      take(says)
      const final = events.findLast((event) => event.type === 'final')
      return { verdict, events, exitCode, signal, said: saidIn(events), final: final?.text ?? null }
    }
    return {
      pid: child.pid,
      done: read(),
      heard: (text) =>
        new Promise((wake) => {
          waiting.push({ text, wake })
          take([])
        }),
    }
  }

  return {
    box,
    eventsFile: box.path('.ralph/events.jsonl'),
    begin,
    act: (cast) => begin(cast).done,
    events: () => (box.exists('.ralph/events.jsonl') ? box.rows('.ralph/events.jsonl') : []),
    ledger: () => box.rows('../home/run/mock-ledger.jsonl') as unknown as LedgerLine[],
    async [Symbol.asyncDispose]() {
      for (const child of living) child.kill('SIGKILL')
      await Promise.all([...living].map((child) => child.exited))
      await box[Symbol.asyncDispose]()
    },
  }
}

/** A role of the coordinator without hats, changed as asked. */
export function roleOf(change: Partial<Role>, runDir: string): Role {
  return {
    kind: 'iteration',
    hats: [],
    runId: 'run',
    agent: 1,
    attempt: 1,
    runDir,
    events: [],
    objective: 'do it',
    completionPromise: 'LOOP_COMPLETE',
    graph: [],
    ...change,
  }
}

function taskOf(cast: Cast, ralph: string, runDir: string, box: Sandbox): AgentTask {
  return {
    prompt: cast.prompt ?? 'the prompt',
    cwd: box.dir,
    args: [],
    env: {},
    uid: 1000,
    role: roleOf(cast.role ?? {}, runDir),
    ralph,
    ...(cast.model === undefined ? {} : { model: cast.model }),
    ...(cast.scriptPath === undefined ? {} : { script: cast.scriptPath }),
    ...(cast.script === undefined ? {} : { script: box.write('m.yml', cast.script) }),
  }
}

function writtenBy(says: readonly Say[]): string {
  return says.flatMap((say) => ('write' in say ? say.write : [])).join('')
}

function saidIn(events: readonly AgentEvent[]): string {
  return events.flatMap((event) => (event.type === 'text' ? event.text : [])).join('')
}

async function eachLine(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
  if (rest !== '') take(rest)
}
