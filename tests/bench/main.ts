import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchFold } from './fold.ts'
import { type Row, renderRows } from './report.ts'
import { benchStart } from './start.ts'
import { benchConcurrency, benchThroughput } from './waves.ts'

/** Runs every benchmark and prints one table. `--smoke`: each once, with small numbers, to show that it works. */
function main(smoke: boolean): void {
  const dir = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'ralph-bench-'))
  try {
    console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; files on ${fileSystem(dir)}`)
    console.log(renderRows(smoke ? small(dir) : full(dir)))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function full(dir: string): readonly Row[] {
  return [
    ...benchStart(dir, 60),
    ...benchFold(10_000, 9),
    ...benchThroughput(dir, { items: 1000, jobs: [64, 8], times: 5 }),
    ...benchConcurrency(dir, { items: 100, jobs: 20, workSeconds: 1 }),
  ]
}

function small(dir: string): readonly Row[] {
  return [
    ...benchStart(dir, 3),
    ...benchFold(2_000, 1),
    ...benchThroughput(dir, { items: 50, jobs: [16, 4], times: 1 }),
    ...benchConcurrency(dir, { items: 8, jobs: 4, workSeconds: 0.25 }),
  ]
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

main(process.argv.includes('--smoke'))
