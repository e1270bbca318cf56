import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLineSplitter } from '../../core/agent/lines.ts'
import type {
  AgentEvent,
  Backend,
  FailureClass,
  ProcessEnd,
  Say,
  Verdict,
} from '../../core/backend/contract.ts'
import claude from '../../plugins/claude/index.ts'
import codex from '../../plugins/codex/index.ts'
import copilot from '../../plugins/copilot/index.ts'
import gemini from '../../plugins/gemini/index.ts'
import opencode from '../../plugins/opencode/index.ts'
import pi from '../../plugins/pi/index.ts'
import qwen from '../../plugins/qwen/index.ts'
import { RUNS as CLAUDE } from './claude/runs.ts'
import { RUNS as CODEX } from './codex/runs.ts'
import { RUNS as COPILOT } from './copilot/runs.ts'
import { RUNS as GEMINI } from './gemini/runs.ts'
import { RUNS as OPENCODE } from './opencode/runs.ts'
import { RUNS as PI } from './pi/runs.ts'
import { RUNS as QWEN } from './qwen/runs.ts'
import { endOf, TASK } from './replay.ts'

/** What a real program printed once, and how it ended. */
export interface Capture {
  readonly name: string
  readonly end: ProcessEnd
  readonly verdict: 'ok' | FailureClass
  readonly out: Buffer
  readonly err: Buffer
}

/** Every built-in that reads a stream, with everything that was captured of its program. */
export const READERS: readonly {
  readonly name: string
  readonly backend: Backend
  readonly captures: readonly Capture[]
}[] = [
  of(claude, CLAUDE),
  of(codex, CODEX),
  of(copilot, COPILOT),
  of(gemini, GEMINI),
  of(opencode, OPENCODE),
  of(pi, PI),
  of(qwen, QWEN),
]

type Row = readonly [name: string, exit: number | 'stopped', verdict: 'ok' | FailureClass, ...unknown[]]

function of(backend: Backend, rows: readonly Row[]) {
  const folder = join(import.meta.dir, '../fixtures/streams', backend.name)
  const read = (file: string): Buffer =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file)) : Buffer.alloc(0)
  const captures = rows.map(([name, exit, verdict]): Capture => {
    const err = read(`${name}.stderr.txt`)
    const stderrTail = err.toString().split('\n').slice(-40).join('\n')
    return {
      name,
      end: { ...endOf(exit), stderrTail },
      verdict,
      out: read(`${name}.stdout.jsonl`),
      err,
    }
  })
  return { name: backend.name, backend, captures }
}

/** What a session made of bytes. */
export interface Heard {
  readonly events: readonly AgentEvent[]
  readonly verdict: Verdict
}

/** Reads bytes as the supervisor does: through its line splitter, stderr first. */
export function hear(
  backend: Backend,
  of: { readonly out: readonly Uint8Array[]; readonly err?: Uint8Array; readonly end: ProcessEnd },
): Heard {
  const session = backend.open(TASK)
  const says: Say[] = []
  for (const line of linesOf([of.err ?? new Uint8Array()])) says.push(...session.line('err', line))
  for (const line of linesOf(of.out)) says.push(...session.line('out', line))
  const { says: last, verdict } = session.end(of.end)
  return { events: [...says, ...last].flatMap((say) => ('event' in say ? [say.event] : [])), verdict }
}

/** The lines that the supervisor makes of pieces of bytes. */
export function linesOf(pieces: readonly Uint8Array[]): readonly string[] {
  const splitter = createLineSplitter()
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
}

/** Without what only takes back that the agent is done, or says again how many tools are open. */
export function settled(events: readonly AgentEvent[]): readonly AgentEvent[] {
  let open = 0
  return events.filter((event) => {
    if (event.type !== 'open') return true
    const same = event.count === open
    open = event.count
    return !same
  })
}
