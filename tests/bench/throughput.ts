import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { RALPH } from '../helpers/sandbox.ts'
import type { Bench, Place } from './bench.ts'
import { interleave, ratio, scaled } from './measure.ts'
import { NO_PARALLEL, parallelArgv } from './peers.ts'
import type { Row } from './report.ts'
import { runProgram } from './run-program.ts'
import { createWorkspace, itemLines, waveArgv } from './workspace.ts'

/** P1: many workers that do nothing. Ralph keeps a journal, logs and results of each; `xargs` keeps no record at all. */
export const throughput: Bench = {
  id: 'P1',
  about: 'a wave of workers that do nothing',
  async run(place, scale) {
    const full = scale === 'full'
    const rows: Row[] = []
    for (const jobs of full ? [64, 8] : [8]) {
      rows.push(...(await compare(place, { items: full ? 1000 : 20, jobs, times: full ? 5 : 1 })))
    }
    return rows
  },
}

async function compare(
  { dir, peers }: Place,
  of: { items: number; jobs: number; times: number },
): Promise<readonly Row[]> {
  const { cwd, env } = createWorkspace(dir)
  const program = { cwd, env, stdin: itemLines(of.items) }
  const jobs = String(of.jobs)
  const { parallel } = peers
  const kept = (act: (folder: string) => Promise<void>) => async (): Promise<void> => {
    const folder = mkdtempSync(join(cwd, 'kept-'))
    await act(folder)
    rmSync(folder, { recursive: true })
  }
  const taken = await interleave(of.times, {
    xargs: () => runProgram(['xargs', '-P', jobs, '-n', '1', 'echo'], program),
    ralph: () => runProgram(waveArgv(RALPH, { command: 'echo', jobs: of.jobs }), program),
    execa: () => runProgram([...peers.execa, jobs, 'echo'], program),
    langgraph: () => runProgram([...peers.langgraph, jobs, 'echo'], program),
    parallel: kept(async (folder) => {
      if (parallel === null) return
      const record = ['--joblog', join(folder, 'log'), '--results', join(folder, 'results')]
      await runProgram(parallelArgv(parallel, '-j', jobs, ...record, 'echo'), program)
    }),
  })
  const seconds = (what: string, sample: typeof taken.ralph): Row => ({
    what: `P1  ${of.items} no-op workers, ${what}`,
    sample: scaled(sample, (ms) => ms / 1000),
    unit: 's',
  })
  const toXargs = ratio(taken.ralph, taken.xargs)
  const toParallel = ratio(taken.ralph, taken.parallel)
  return [
    seconds(`xargs -P ${jobs}`, taken.xargs),
    seconds(`p-limit + execa, ${jobs} at once`, taken.execa),
    seconds(`LangGraph.js, ${jobs} at once`, taken.langgraph),
    parallel === null
      ? { ...seconds(`(${NO_PARALLEL})`, taken.parallel) }
      : seconds(`parallel -j ${jobs} --joblog --results`, taken.parallel),
    seconds(`ralph wave run -j ${jobs}`, taken.ralph),
    {
      what: `P1  ralph : xargs, ${jobs} at once`,
      sample: toXargs,
      unit: '×',
      aim: { says: '≤ 1.5', met: toXargs.median <= 1.5 },
    },
    ...(parallel === null
      ? []
      : [
          {
            what: `P1  ralph : parallel with records, ${jobs} at once`,
            sample: toParallel,
            unit: '×',
            aim: { says: '≤ 0.4', met: toParallel.median <= 0.4 },
          },
        ]),
  ]
}
