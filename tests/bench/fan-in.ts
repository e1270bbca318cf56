import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RALPH } from '../helpers/sandbox.ts'
import type { Bench } from './bench.ts'
import { furnishLoop } from './loop.ts'
import { type Sample, sampleOf } from './measure.ts'
import type { Row } from './report.ts'
import { runProgram } from './run-program.ts'
import { createWorkspace, itemLines, type Workspace } from './workspace.ts'

const JOBS = 64

/** P5: from the last act of the last worker to the first act of the aggregator. The start of its shell is in it. */
export const fanIn: Bench = {
  id: 'P5',
  about: 'from the last worker to the aggregator',
  async run({ dir, peers }, scale) {
    const [items, times] = scale === 'full' ? [1000, 20] : [20, 1]
    const own: number[] = []
    const graph: number[] = []
    for (let round = 0; round < times; round++) {
      const at = furnish(dir, items)
      own.push(await gap(at, () => runProgram([RALPH, 'run', '-q', '-p', 'X'], at)))
      const peer = furnish(dir, items)
      const agent = join(peer.cwd, 'agent.sh')
      const env = { ...peer.env, AGGREGATOR: agent, RALPH_EVENTS_FILE: join(peer.cwd, 'events.jsonl') }
      const argv = [...peers.langgraph, String(JOBS), agent]
      graph.push(await gap(peer, () => runProgram(argv, { cwd: peer.cwd, env, stdin: itemLines(items) })))
    }
    const row = (what: string, sample: Sample): Row => ({
      what: `P5  last of ${items} workers → aggregator, ${what}`,
      sample,
      unit: 'ms',
    })
    const sample = sampleOf(own)
    return [
      row('LangGraph.js', sampleOf(graph)),
      { ...row('ralph', sample), aim: { says: 'p99 ≤ 20', met: sample.p99 <= 20 } },
    ]
  },
}

/** Milliseconds, by the clock that the agents read. */
async function gap(at: Workspace, run: () => Promise<void>): Promise<number> {
  await run()
  const last = Math.max(...at.lines('ended').map(Number))
  const gathered = Number(readFileSync(join(at.cwd, 'gathered'), 'utf8'))
  return 1000 * (gathered - last)
}

function furnish(dir: string, items: number): Workspace {
  const at = createWorkspace(dir)
  furnishLoop(at, { items, jobs: JOBS, agent: AGENT })
  return at
}

/** Writes down when a worker ended, and when the aggregator began. Without `RALPH_BIN` it is the peer's. */
const AGENT = `
if [ -n "$RALPH_WAVE_WORKER" ]; then
  emit
  echo "$EPOCHREALTIME" >> ended
elif [ -e ended ]; then
  echo "$now" > gathered
  [ -z "$RALPH_BIN" ] || ralph emit LOOP_COMPLETE done
else
  dispatch
fi
`
