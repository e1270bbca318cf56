import { RALPH } from '../helpers/sandbox.ts'
import type { Bench } from './bench.ts'
import { interleave, type Sample, scaled } from './measure.ts'
import { parallelArgv } from './peers.ts'
import type { Row } from './report.ts'
import { runProgram } from './run-program.ts'
import { createWorkspace, itemLines, waveArgv } from './workspace.ts'

/** P2: workers that take their time. What part of the possible speed is reached, start and fan-in included. */
export const concurrency: Bench = {
  id: 'P2',
  about: 'workers of one second',
  async run({ dir, peers }, scale) {
    const of =
      scale === 'full'
        ? { items: 100, jobs: 20, seconds: 1, times: 3 }
        : { items: 8, jobs: 4, seconds: 0.1, times: 1 }
    const { cwd, env, script } = createWorkspace(dir)
    const command = script('works.sh', `#!/bin/sh\necho done\nexec sleep ${of.seconds}\n`)
    const program = { cwd, env, stdin: itemLines(of.items) }
    const jobs = String(of.jobs)
    const { parallel } = peers
    const taken = await interleave(of.times, {
      xargs: () => runProgram(['xargs', '-P', jobs, '-n', '1', command], program),
      ralph: () => runProgram(waveArgv(RALPH, { command, jobs: of.jobs }), program),
      execa: () => runProgram([...peers.execa, jobs, command], program),
      langgraph: () => runProgram([...peers.langgraph, jobs, command], program),
      parallel: async () => {
        if (parallel !== null) await runProgram(parallelArgv(parallel, '-j', jobs, command), program)
      },
    })
    const ideal = Math.ceil(of.items / of.jobs) * of.seconds * 1000
    const reached = (sample: Sample): Sample => scaled(sample, (ms) => (100 * ideal) / ms)
    const row = (what: string, sample: Sample): Row => ({
      what: `P2  ${of.items} workers of ${of.seconds} s, ${jobs} at once, of the ideal: ${what}`,
      sample: reached(sample),
      unit: '%',
    })
    const own = reached(taken.ralph)
    return [
      row('xargs', taken.xargs),
      row('p-limit + execa', taken.execa),
      row('LangGraph.js', taken.langgraph),
      ...(parallel === null ? [] : [row('parallel', taken.parallel)]),
      { ...row('ralph', taken.ralph), aim: { says: '≥ 98', met: own.median >= 98 } },
    ]
  },
}
