import { RALPH, until } from '../helpers/sandbox.ts'
import type { Bench, Peers } from './bench.ts'
import { furnishLoop } from './loop.ts'
import { type Sample, sampleOf } from './measure.ts'
import { parallelArgv } from './peers.ts'
import type { Row } from './report.ts'
import { runProgram, startProgram } from './run-program.ts'
import { createWorkspace, itemLines, type Workspace } from './workspace.ts'

const JOBS = 64

/** P7: going on with a wave of which all items but one are done, to the first act of the one that is started again. */
export const resume: Bench = {
  id: 'P7',
  about: 'resume with one item left',
  async run({ dir, peers }, scale) {
    const [items, times] = scale === 'full' ? [1000, 7] : [20, 1]
    const own = await ofRalph(createWorkspace(dir), items, times)
    const peer = await ofParallel(createWorkspace(dir), peers, { items, times })
    const row = (what: string, sample: Sample): Row => ({
      what: `P7  ${items - 1} of ${items} done → the last one runs again, ${what}`,
      sample,
      unit: 'ms',
    })
    return [
      ...(peer === null ? [] : [row('parallel --resume', peer)]),
      { ...row('ralph run --continue', own), aim: { says: '≤ 200', met: own.median <= 200 } },
    ]
  },
}

async function ofRalph(at: Workspace, items: number, times: number): Promise<Sample> {
  furnishLoop(at, { items, jobs: JOBS, agent: agent(items) })
  {
    await using first = startProgram([RALPH, 'run', '-q', '-p', 'X'], at)
    await until(
      'all outcomes but one',
      () => at.kept('outcome.json').length === items - 1 && at.lines('begun').length === 1,
      120_000,
    )
    await crash(at, first.pid)
  }
  const all: number[] = []
  for (let round = 0; round < times; round++) {
    const began = Date.now()
    await using again = startProgram([RALPH, 'run', '--continue', '-q'], at)
    await until('the last item', () => at.lines('begun').length === round + 2, 60_000)
    all.push(1000 * Number(at.lines('begun').at(-1)?.split(' ')[0]) - began)
    await crash(at, again.pid)
  }
  return sampleOf(all)
}

/** Ralph alone is killed; what watches over its agents ends the last one. */
async function crash(at: Workspace, ralph: number): Promise<void> {
  const worker = Number(at.lines('begun').at(-1)?.split(' ')[1])
  process.kill(ralph, 'SIGKILL')
  await until('the end of the worker', () => !isThere(worker), 10_000)
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The last item says that it has begun, and does not end; the others are done at once. */
const agent = (items: number): string => `
if [ -z "$RALPH_WAVE_WORKER" ]; then
  dispatch
elif [ "$RALPH_WAVE_INDEX" = ${items - 1} ]; then
  echo "$now $$" >> begun
  exec sleep 300
else
  emit
fi
`

async function ofParallel(
  at: Workspace,
  { parallel }: Peers,
  of: { items: number; times: number },
): Promise<Sample | null> {
  if (parallel === null) return null
  const command = at.script('agent.sh', '#!/bin/bash\necho "$EPOCHREALTIME" >> begun\n')
  const lines = itemLines(of.items)
  const argv = parallelArgv(parallel, '-j', String(JOBS), '--resume', '--joblog', 'log', command)
  const all: number[] = []
  for (let round = 0; round < of.times; round++) {
    at.write('log', '')
    const done = lines.split('\n').slice(0, of.items - 1)
    await runProgram(argv, { ...at, stdin: `${done.join('\n')}\n` })
    const before = at.lines('begun').length
    const began = Date.now()
    await runProgram(argv, { ...at, stdin: lines })
    if (at.lines('begun').length !== before + 1) throw new Error('parallel did not run the last item alone')
    all.push(1000 * Number(at.lines('begun').at(-1)) - began)
  }
  return sampleOf(all)
}
