import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  AgentEvent,
  AgentTask,
  Backend,
  ProcessEnd,
  Say,
  Usage,
  Verdict,
} from '../../core/backend/contract.ts'

/** What a session made of a whole run. */
export interface Replay {
  readonly events: readonly AgentEvent[]
  readonly verdict: Verdict
  readonly final: string
  readonly usd: number | null
  readonly usage: Usage | null
  readonly turns: number | null
  /** Tool calls by name, in order. */
  readonly tools: readonly string[]
  /** The last thing heard was that the agent is done. */
  readonly done: boolean
}

export const TASK: AgentTask = {
  prompt: 'go',
  cwd: '/w',
  args: [],
  env: {},
  uid: 1000,
  ralph: '/opt/ralph',
  role: {
    kind: 'iteration',
    hats: [],
    runId: 'r',
    agent: 1,
    attempt: 1,
    runDir: '/r',
    events: [],
    objective: 'o',
    completionPromise: 'DONE',
    graph: [],
  },
}

/** How a process ended: an exit code, or the name of a signal. */
export function ended(how: number | string, more: Partial<ProcessEnd> = {}): ProcessEnd {
  const end = typeof how === 'number' ? { exitCode: how, signal: null } : { exitCode: null, signal: how }
  return { ...end, stoppedByUs: false, stdoutTail: '', stderrTail: '', ...more }
}

/** The end of a captured run: its exit code, or that we stopped it with TERM. */
export function endOf(exit: number | 'stopped'): ProcessEnd {
  return exit === 'stopped' ? ended('SIGTERM', { stoppedByUs: true }) : ended(exit)
}

/** What a row of a table of captured runs tells of one. Null: never told. */
export function tellingOf(run: Replay) {
  return {
    verdict: run.verdict.ok ? 'ok' : run.verdict.class,
    final: run.final,
    usd: run.usd,
    input: run.usage?.input ?? null,
    output: run.usage?.output ?? null,
    turns: run.turns,
    tools: run.tools.length,
    done: run.done,
  }
}

/** Names of all captured runs of a backend, sorted. */
export function capturedRuns({ name }: Backend): string[] {
  const files = readdirSync(join(import.meta.dir, '../fixtures/streams', name))
  return [...new Set(files.map((file) => file.replace(/\.(stdout\.jsonl|stderr\.txt)$/, '')))].sort()
}

/** Feeds a captured run: stderr first, then stdout, a last line without newline too. */
export function replayCapture(backend: Backend, name: string, end: ProcessEnd): Replay {
  const folder = join(import.meta.dir, '../fixtures/streams', backend.name)
  const read = (file: string): string =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : ''
  const stderr = read(`${name}.stderr.txt`)
  const tail = stderr.split('\n').slice(-40).join('\n')
  return replay(backend, { out: read(`${name}.stdout.jsonl`), err: stderr }, { ...end, stderrTail: tail })
}

export function replay(
  backend: Backend,
  { out, err = '' }: { readonly out: string; readonly err?: string },
  end: ProcessEnd,
): Replay {
  const session = backend.open(TASK)
  const says: Say[] = [
    ...linesOf(err).flatMap((line) => session.line('err', line)),
    ...linesOf(out).flatMap((line) => session.line('out', line)),
  ]
  const heard = eventsOf(says)
  const last = session.end(end)
  const events = [...heard, ...eventsOf(last.says)]
  return {
    events,
    verdict: last.verdict,
    final: lastOf(events, 'final')?.text ?? '',
    usd: lastOf(events, 'cost')?.usd ?? null,
    usage: lastOf(events, 'usage')?.usage ?? null,
    turns: lastOf(events, 'turns')?.turns ?? null,
    tools: events.flatMap((event) => (event.type === 'tool_start' ? [event.name] : [])),
    done: heard.at(-1)?.type === 'terminal',
  }
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function eventsOf(says: readonly Say[]): readonly AgentEvent[] {
  return says.flatMap((say) => ('event' in say ? [say.event] : []))
}

function lastOf<T extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: T,
): Extract<AgentEvent, { type: T }> | undefined {
  return events.findLast((event): event is Extract<AgentEvent, { type: T }> => event.type === type)
}
