import type { AgentTask, Invocation, ProcessEnd, Session, Verdict } from './contract.ts'

/** A program that gets one prompt and whose stdout is the answer, which the core keeps. Judged by how it exits. */
export function textSession(task: AgentTask, invocation: Invocation): Session {
  return {
    start: () => (invocation.prompt === 'stdin' ? [{ write: task.prompt }, { closeStdin: true }] : []),
    line(stream, text) {
      if (stream === 'err') return []
      return [{ event: { type: 'text', text: `${text}\n` } }]
    },
    ask: () => [],
    end: (end) => ({ says: [], verdict: judgeExit(end) }),
  }
}

/** Exit code and signal alone. An end of our own making says nothing against the program: whoever made it knows why. */
function judgeExit(end: ProcessEnd): Verdict {
  if (end.stoppedByUs || end.exitCode === 0) return { ok: true }
  const how = end.signal === null ? `exit code ${end.exitCode}` : `signal ${end.signal}`
  return { ok: false, class: 'crash', message: how }
}
