import type { AgentTask, ProcessEnd, Say, Session, Verdict } from '../../core/backend/contract.ts'
import { assignmentOf, type Line, parseLine } from './wire.ts'

/** One conversation with one player: the assignment goes in, its records come out. */
export function openSession(task: AgentTask): Session {
  let end: Extract<Line, { type: 'end' }> | null = null
  let open = 0

  return {
    start: () => [{ write: `${JSON.stringify(assignmentOf(task))}\n` }, { closeStdin: true }],
    line(stream, text) {
      const line = stream === 'out' ? parseLine(text) : null
      if (line === null) return []
      end = line.type === 'end' ? line : null
      if (line.type === 'tool') open += 1
      if (line.type === 'tool_result') open = Math.max(0, open - 1)
      return saysOf(line, open)
    },
    ask: () => [],
    end: (process) => ({ says: [], verdict: verdictOf(end, process) }),
  }
}

function saysOf(line: Line, open: number): readonly Say[] {
  switch (line.type) {
    case 'session':
      return [{ event: { type: 'session', id: line.id } }]
    case 'text':
    case 'thinking':
      return [{ event: { type: line.type, text: line.text } }]
    case 'tool':
      return [
        { event: { type: 'tool_start', id: line.id, name: line.name, input: line.input } },
        { event: { type: 'open', count: open } },
      ]
    case 'tool_result':
      return [
        { event: { type: 'tool_end', id: line.id, output: line.output, isError: line.is_error } },
        { event: { type: 'open', count: open } },
      ]
    case 'usage':
      return [{ event: { type: 'usage', usage: line.usage } }]
    case 'cost':
      return [{ event: { type: 'cost', usd: line.usd } }]
    case 'end':
      return line.ok
        ? [{ event: { type: 'final', text: line.text } }, { event: { type: 'terminal' } }]
        : [
            { event: { type: 'error', class: line.class, message: line.message } },
            { event: { type: 'terminal' } },
          ]
    default:
      return line satisfies never
  }
}

/** A clean end needs both the end record and exit code 0, unless the player was ended by us after its record. */
function verdictOf(line: Extract<Line, { type: 'end' }> | null, process: ProcessEnd): Verdict {
  if (line !== null && !line.ok)
    return {
      ok: false,
      class: line.class,
      message: line.message,
      ...(line.retry_after_ms === undefined ? {} : { retryAfterMs: line.retry_after_ms }),
    }
  if (line !== null && (process.exitCode === 0 || process.stoppedByUs)) return { ok: true }
  if (process.signal !== null) return { ok: false, class: 'crash', message: `ended by ${process.signal}` }
  if (process.exitCode !== 0)
    return { ok: false, class: 'crash', message: `exit code ${String(process.exitCode)}` }
  return { ok: false, class: 'unknown', message: 'ended without its end record' }
}
