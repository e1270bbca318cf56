import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RALPH } from '../helpers/sandbox.ts'
import { interleave } from './measure.ts'
import type { Row } from './report.ts'
import { runProgram } from './run-program.ts'

/** Many workers that do nothing: what `ralph wave run` adds to a start, beside `xargs -P`, which keeps no record. */
export function benchThroughput(
  dir: string,
  of: { items: number; jobs: readonly number[]; times: number },
): readonly Row[] {
  const bench = prepare(dir)
  const items = lines(of.items)
  return of.jobs.flatMap((jobs) => {
    const taken = interleave(of.times, {
      xargs: () => runProgram(['xargs', '-P', String(jobs), '-n', '1', 'echo'], { ...bench, stdin: items }),
      ralph: () => waveRun(bench, { command: 'echo', jobs, items }),
    })
    const each = (1000 * taken.ralph.median) / of.items
    return [
      {
        what: `${of.items} no-op workers, xargs -P ${jobs}`,
        figure: seconds(taken.xargs.median),
        note: `${of.times} runs each, in turn`,
      },
      {
        what: `${of.items} no-op workers, ralph wave run -j ${jobs}`,
        figure: seconds(taken.ralph.median),
        note: `${(taken.ralph.median / taken.xargs.median).toFixed(2)} times xargs; ${each.toFixed(0)} µs a worker`,
      },
    ]
  })
}

/** Workers that take their time: how much of what is possible at this concurrency is reached. */
export function benchConcurrency(
  dir: string,
  of: { items: number; jobs: number; workSeconds: number },
): readonly Row[] {
  const bench = prepare(dir)
  const command = join(bench.cwd, 'works.sh')
  writeFileSync(command, `#!/bin/sh\nsleep ${of.workSeconds}\nexec echo done\n`, { mode: 0o755 })
  const { ralph } = interleave(1, {
    ralph: () => waveRun(bench, { command, jobs: of.jobs, items: lines(of.items) }),
  })
  const ideal = Math.ceil(of.items / of.jobs) * of.workSeconds * 1000
  return [
    {
      what: `${of.items} workers of ${of.workSeconds} s, -j ${of.jobs}`,
      figure: seconds(ralph.median),
      note: `${((100 * ideal) / ralph.median).toFixed(1)} % of the ideal ${seconds(ideal)}`,
    },
  ]
}

interface Bench {
  readonly cwd: string
  readonly env: Record<string, string>
}

function prepare(dir: string): Bench {
  const cwd = join(dir, 'work')
  mkdirSync(cwd, { recursive: true })
  return { cwd, env: { PATH: process.env.PATH ?? '', HOME: dir, RALPH_TRUST: '1' } }
}

function waveRun(bench: Bench, of: { command: string; jobs: number; items: string }): void {
  const agent = ['-b', 'custom', '-c', `cli.command=${of.command}`]
  runProgram([RALPH, 'wave', 'run', ...agent, '-j', String(of.jobs)], { ...bench, stdin: of.items })
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, i) => `item-${i}\n`).join('')
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
