import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench, Place, Scale } from './bench.ts'
import { concurrency } from './concurrency.ts'
import { fanIn } from './fan-in.ts'
import { foldCost } from './fold.ts'
import { memory } from './memory.ts'
import { output } from './output.ts'
import { findPeers, NO_PARALLEL } from './peers.ts'
import { reading } from './reading.ts'
import { renderRows } from './report.ts'
import { resume } from './resume.ts'
import { start } from './start.ts'
import { throughput } from './throughput.ts'

const BENCHES: readonly Bench[] = [
  throughput,
  concurrency,
  start,
  memory,
  fanIn,
  reading,
  resume,
  output,
  foldCost,
]

/**
 * Runs the named benchmarks, or all, each beside its peers, and prints a table of each. `--smoke`: each once, with small numbers,
 * to show that it works; no figure of it means anything.
 */
async function main(args: readonly string[]): Promise<void> {
  const scale: Scale = args.includes('--smoke') ? 'smoke' : 'full'
  const chosen = choose(args.filter((arg) => arg !== '--smoke'))
  const peers = await findPeers()
  const dir = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'ralph-bench-'))
  const disk = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const where = `files on ${fileSystem(dir)}; Linux ${release()}; Bun ${Bun.version}`
    console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; ${where}`)
    if (peers.parallel === null) console.log(NO_PARALLEL)
    await runAll(chosen, { dir, disk, peers }, scale)
  } finally {
    for (const folder of [dir, disk]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Prints the figures of each benchmark as soon as it has ended. */
async function runAll(benches: readonly Bench[], place: Place, scale: Scale): Promise<void> {
  for (const bench of benches) {
    console.log(`\n${bench.id}: ${bench.about}`)
    const rows = await bench.run(place, scale)
    // With small numbers nothing is proved, nor missed.
    console.log(renderRows(scale === 'full' ? rows : rows.map(({ aim: _, ...row }) => row)))
  }
}

function choose(names: readonly string[]): readonly Bench[] {
  const wanted = names.map((name) => name.toLowerCase())
  const known = BENCHES.map((bench) => bench.id)
  const unknown = wanted.find((name) => !known.some((id) => id.toLowerCase() === name))
  if (unknown !== undefined)
    throw new Error(`there is no benchmark "${unknown}"; there are ${known.join(', ')}`)
  return wanted.length === 0 ? BENCHES : BENCHES.filter((bench) => wanted.includes(bench.id.toLowerCase()))
}

/** On a disk, the cost of making files varies fifty times, with what was deleted shortly before: memory shows our own. */
const MEMORY = '/dev/shm'

function fileSystem(dir: string): string {
  const names = new Map([
    [0xef53, 'ext4'],
    [0x0102_1994, 'tmpfs'],
    [0x5846_5342, 'xfs'],
    [0x9123_683e, 'btrfs'],
    [0x794c_7630, 'overlayfs'],
  ])
  const { type } = statfsSync(dir)
  return names.get(type) ?? `type 0x${type.toString(16)}`
}

await main(process.argv.slice(2))
