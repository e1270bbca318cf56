import { statSync } from 'node:fs'
import { RALPH, until } from '../helpers/sandbox.ts'
import type { Bench, Place } from './bench.ts'
import { type Sample, sampleOf } from './measure.ts'
import { peakMemory } from './memory.ts'
import { parallelArgv } from './peers.ts'
import type { Row } from './report.ts'
import { startProgram } from './run-program.ts'
import { createWorkspace, itemLines, type Workspace, waveArgv } from './workspace.ts'

const MB = 1024 * 1024

/**
 * P8: many workers that print much at once: what it costs in memory, and whether all of it is kept. What a program says on
 * stderr is its log; what a plain program says on stdout is its answer too, which is kept until it is judged. Linux.
 */
export const output: Bench = {
  id: 'P8',
  about: 'workers that print much',
  async run(place, scale) {
    const [workers, little, much, times] = scale === 'full' ? [64, MB / 8, 10 * MB, 2] : [4, MB / 16, MB, 1]
    const row = (what: string, sample: Sample, unit = 'MB'): Row => ({ what: `P8  ${what}`, sample, unit })
    const rows: Row[] = []
    const peer = await ofParallel(place, { workers, bytes: much, times, to: 'stdout' })
    if (peer !== null) rows.push(row(`${workers} × ${much / MB} MB, parallel --results`, peer))
    for (const to of ['stderr', 'stdout'] as const) {
      const some = await ofRalph(place, { workers, bytes: little, times, to })
      const all = await ofRalph(place, { workers, bytes: much, times, to })
      const grown = sampleOf([all.memory.median - some.memory.median])
      const printed = (workers * (much - little)) / MB
      rows.push(
        row(`${workers} × ${little / MB} MB to ${to}, ralph`, some.memory),
        row(`${workers} × ${much / MB} MB to ${to}, ralph`, all.memory),
        {
          ...row(`growth for ${printed} MB more to ${to}`, grown),
          aim: { says: `≤ ${FLAT}`, met: grown.median <= FLAT },
        },
        {
          ...row(`lost of what was printed to ${to}`, sampleOf([all.lost / MB])),
          aim: { says: '0', met: all.lost === 0 },
        },
      )
    }
    return rows
  },
}

/** MB by which flat memory may grow. */
const FLAT = 50

interface Load {
  readonly workers: number
  readonly bytes: number
  readonly times: number
  readonly to: 'stdout' | 'stderr'
}

async function ofRalph({ disk }: Place, load: Load): Promise<{ memory: Sample; lost: number }> {
  const all: number[] = []
  let lost = 0
  for (let round = 0; round < load.times; round++) {
    const at = createWorkspace(disk)
    const command = printer(at, load)
    all.push(await peakOf(at, waveArgv(RALPH, { command, jobs: load.workers }), load.workers))
    const kept = at.kept(`${load.to}.log`)
    lost += load.workers * load.bytes - kept.reduce((sum, path) => sum + statSync(path).size, 0)
    at.remove()
  }
  return { memory: sampleOf(all), lost }
}

async function ofParallel({ disk, peers }: Place, load: Load): Promise<Sample | null> {
  if (peers.parallel === null) return null
  const all: number[] = []
  for (let round = 0; round < load.times; round++) {
    const at = createWorkspace(disk)
    const command = printer(at, load)
    const argv = parallelArgv(peers.parallel, '-j', String(load.workers), '--results', 'kept', command)
    all.push(await peakOf(at, argv, load.workers))
    at.remove()
  }
  return sampleOf(all)
}

function printer(at: Workspace, { bytes, to }: Load): string {
  const where = to === 'stderr' ? ' >&2; echo done' : ''
  return at.script('prints.sh', `#!/bin/sh\nyes 'a line of what an agent says' | head -c ${bytes}${where}\n`)
}

/** The most memory of a program, in MB, asked for until it ends. */
async function peakOf(at: Workspace, argv: readonly string[], workers: number): Promise<number> {
  await using running = startProgram(argv, { cwd: at.cwd, env: at.env, stdin: itemLines(workers) })
  let most = 0
  let ended = false
  void running.exited.then(() => {
    ended = true
  })
  await until(
    'its end',
    () => {
      if (!ended) most = Math.max(most, peakIfThere(running.pid))
      return ended
    },
    300_000,
  )
  if ((await running.exited) !== 0) throw new Error(`${argv.join(' ')} ended with ${await running.exited}`)
  return most
}

/** A process that is ending has no memory any more. */
function peakIfThere(pid: number): number {
  try {
    return peakMemory(pid) || 0
  } catch {
    return 0
  }
}
