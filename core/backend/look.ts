import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { messageOf } from '../errors.ts'
import type { Look } from './contract.ts'

/** The real machine, as `detect` may see it. `limitMs` bounds each run; 10 000 by default. */
export function createLook(of: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  readonly limitMs?: number
}): Look {
  const { env, uid, limitMs = 10_000 } = of
  return {
    env,
    uid,
    which: (program) => findProgram(program, env.PATH ?? ''),
    run: (program, args) => runBriefly([program, ...args], env, limitMs),
  }
}

/** A name with a slash is a path already. */
function findProgram(program: string, path: string): string | null {
  const places = program.includes('/')
    ? [program]
    : path
        .split(':')
        .filter(isAbsolute)
        .map((folder) => join(folder, program))
  return places.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Milliseconds for the rest of the output after the program's end. */
const DRAIN_MS = 500

type Ran = Awaited<ReturnType<Look['run']>>

/** A group of its own, without stdin, killed as a whole when the time is up. Never throws: a program that cannot be started ends with null. */
async function runBriefly(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  limitMs: number,
): Promise<Ran> {
  try {
    const child = Bun.spawn([...argv], {
      env: { ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      detached: true,
    })
    const timer = setTimeout(() => killGroup(child.pid), limitMs)
    try {
      const output = Promise.all([child.stdout.text(), child.stderr.text()])
      await child.exited
      // What it left behind would hold the pipes open; what left the group may still do so.
      killGroup(child.pid)
      const [stdout, stderr] = await Promise.race([output, Bun.sleep(DRAIN_MS).then(() => ['', ''] as const)])
      return { exitCode: child.exitCode, stdout, stderr }
    } finally {
      clearTimeout(timer)
    }
  } catch (error) {
    return { exitCode: null, stdout: '', stderr: messageOf(error) }
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left in the group.
  }
}
