import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { osCodeOf } from './os-error.ts'
import type { Line } from './wire.ts'

/** What a player does to the world: it prints, and it starts programs in the workspace. */
export interface Stage {
  print(line: Line): void
  /** `bytes` of text that is no record. */
  flood(stream: 'stdout' | 'stderr', bytes: number): void
  /** Runs a program to its end; what it prints on both streams comes back together, the last 64 KiB. */
  call(argv: readonly string[], options?: CallOptions): Promise<Called>
}

export interface CallOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Default: empty. */
  readonly stdin?: string
}

export interface Called {
  /** 127: it could not be started; 128 + n: ended by signal n. */
  readonly exit: number
  readonly output: string
}

export function createStage(env: Readonly<Record<string, string | undefined>>): Stage {
  return {
    print: (line) => writeAll(1, Buffer.from(`${JSON.stringify(line)}\n`)),
    flood(stream, bytes) {
      const row = Buffer.from(`${'mock '.repeat(204)}123\n`)
      const fd = stream === 'stdout' ? 1 : 2
      for (let left = bytes; left > 0; left -= row.length)
        writeAll(fd, row.subarray(0, Math.min(left, row.length)))
      if (bytes > 0 && bytes % row.length !== 0) writeAll(fd, Buffer.from('\n'))
    },
    call: (argv, options = {}) => call(argv, { env, ...options }),
  }
}

/**
 * A file takes the output, since a pipe would stay open as long as anything that the program leaves behind. It has no name
 * any more when the program starts, so that nothing is left of it however the player ends.
 */
async function call(argv: readonly string[], options: CallOptions): Promise<Called> {
  const fd = openNameless()
  try {
    const child = Bun.spawn([...argv], {
      env: { ...options.env },
      stdin: options.stdin === undefined ? 'ignore' : Buffer.from(options.stdin),
      stdout: fd,
      stderr: fd,
    })
    return { exit: await child.exited, output: tailOf(fd) }
  } catch (error) {
    const code = osCodeOf(error)
    if (code === null) throw error
    return { exit: 127, output: `${argv[0]}: ${code}` }
  } finally {
    closeSync(fd)
  }
}

function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-mock-'))
  try {
    return openSync(join(folder, 'output'), 'a+', 0o600)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const TAIL = 64 * 1024

function tailOf(fd: number): string {
  const { size } = fstatSync(fd)
  const bytes = Buffer.alloc(Math.min(size, TAIL))
  readSync(fd, bytes, 0, bytes.length, size - bytes.length)
  return bytes.toString('utf8')
}

/** Blocking, whole and in order, also on a pipe that its reader made non-blocking. */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done)
    } catch (error) {
      if (osCodeOf(error) !== 'EAGAIN') throw error
      Bun.sleepSync(1)
    }
  }
}
