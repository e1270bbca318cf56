import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RALPH, until } from '../helpers/sandbox.ts'
import type { Bench } from './bench.ts'
import { type Sample, sampleOf } from './measure.ts'
import { parallelArgv } from './peers.ts'
import type { Row } from './report.ts'
import { startProgram } from './run-program.ts'
import { createWorkspace, itemLines, type Workspace, waveArgv } from './workspace.ts'

const JOBS = 8

/** P4: the most memory of the one process that holds the queue, while all places are taken and the rest waits. Linux. */
export const memory: Bench = {
  id: 'P4',
  about: 'memory while items are queued',
  async run({ dir, peers }, scale) {
    const full = scale === 'full'
    const rows: Row[] = []
    for (const [items, most] of full
      ? ([
          [1000, 80],
          [10_000, 150],
        ] as const)
      : ([[50, 150]] as const)) {
      const at = createWorkspace(dir)
      // It waits in the shell itself: a killed group leaves nobody behind.
      const command = at.script('waits.sh', '#!/bin/sh\necho $$ >> begun\nread -r _ < gate\n')
      execFileSync('mkfifo', [join(at.cwd, 'gate')])
      const measure = async (what: string, argv: readonly string[]): Promise<Row> => ({
        what: `P4  ${items} queued, ${what}`,
        sample: await peak(at, argv, { items, times: full ? 3 : 1 }),
        unit: 'MB',
      })
      const jobs = String(JOBS)
      rows.push(await measure('xargs', ['xargs', '-P', jobs, '-n', '1', command]))
      rows.push(await measure('p-limit + execa', [...peers.execa, jobs, command]))
      rows.push(await measure('LangGraph.js', [...peers.langgraph, jobs, command]))
      if (peers.parallel !== null)
        rows.push(await measure('parallel', parallelArgv(peers.parallel, '-j', jobs, command)))
      const argv = [...waveArgv(RALPH, { command, jobs: JOBS }), ...limits(items)]
      const own = await measure('ralph', argv)
      rows.push({ ...own, aim: { says: `≤ ${most}`, met: own.sample.most <= most } })
    }
    return rows
  },
}

function limits(items: number): readonly string[] {
  return ['-c', `features.max_wave_items=${items}`, '-c', `features.max_agents=${2 * items}`]
}

async function peak(
  at: Workspace,
  argv: readonly string[],
  of: { items: number; times: number },
): Promise<Sample> {
  const all: number[] = []
  for (let round = 0; round < of.times; round++) {
    at.write('begun', '')
    await using running = startProgram(argv, { cwd: at.cwd, env: at.env, stdin: itemLines(of.items) })
    await until('all places to be taken', () => at.lines('begun').length >= JOBS, 60_000)
    all.push(peakMemory(running.pid))
    // Agents of ours lead groups of their own.
    const pids = at.lines('begun').map(Number)
    for (const pid of pids) kill(pid)
  }
  return sampleOf(all)
}

/** MB. */
export function peakMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}
