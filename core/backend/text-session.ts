import type { AgentTask, Invocation, ProcessEnd, Session, Verdict } from './contract.ts'
import { createKeptText } from './kept-text.ts'

/** A program that gets one prompt and whose stdout, trimmed, is the answer. Judged by how it exits. */
export function textSession(task: AgentTask, invocation: Invocation): Session {
  const kept = createKeptText()
  return {
    start: () => (invocation.prompt === 'stdin' ? [{ write: task.prompt }, { closeStdin: true }] : []),
    line(stream, text) {
      if (stream === 'err') return []
      kept.add(text)
      return [{ event: { type: 'text', text: `${text}\n` } }]
    },
    ask: () => [],
    end: (end) => ({
      says: [{ event: { type: 'final', text: kept.text() } }],
      verdict: judgeExit(end),
    }),
  }
}

/** Exit code and signal alone. An end of our own making says nothing against the program: whoever made it knows why. */
function judgeExit(end: ProcessEnd): Verdict {
  if (end.stoppedByUs || end.exitCode === 0) return { ok: true }
  const how = end.signal === null ? `exit code ${end.exitCode}` : `signal ${end.signal}`
  return { ok: false, class: 'crash', message: how }
}
