import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { messageOf } from '../errors.ts'
import type { Look, Ran } from './contract.ts'

/** The real machine, as `detect` may see it. */
export function createLook(of: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  /** Bounds each run; 10 000 by default. */
  readonly limitMs?: number
  /** True for what must not be started, nor help to start anything: files of a workspace that nobody has spoken for. */
  readonly isForeign?: (path: string) => boolean
  /** Where programs stand, which may read settings from there; no folder of a workspace. `/` by default. */
  readonly cwd?: string
  /** Ends what runs. */
  readonly signal?: AbortSignal
}): Look {
  const { env, uid, limitMs = 10_000, isForeign = () => false, cwd = '/', signal } = of
  // A folder that is relative would be looked for wherever a program happens to stand.
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const inherited = { ...env, PATH: folders.filter((folder) => !isForeign(folder)).join(delimiter) }
  const which = (program: string): string | null => findProgram(program, folders)
  return {
    env,
    uid,
    which,
    async run(program, args) {
      const path = which(program)
      if (path === null) return unstarted(`there is no program ${program}`)
      if (isForeign(path)) return { ...unstarted(''), refused: 'it lies in this workspace' }
      return runBriefly([resolve(path), ...args], { env: inherited, limitMs, cwd, signal })
    },
  }
}

/** A name with a slash is a path already. */
function findProgram(program: string, folders: readonly string[]): string | null {
  const places = program.includes('/') ? [program] : folders.map((folder) => join(folder, program))
  return places.find(isExecutable) ?? null
}

function unstarted(stderr: string): Ran {
  return { exitCode: null, stdout: '', stderr }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

interface Bounds {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly limitMs: number
  readonly cwd: string
  readonly signal: AbortSignal | undefined
}

/** Milliseconds for the rest of the output after the program's end. */
const DRAIN_MS = 500

/** A group of its own, without stdin, killed as a whole when the time is up. Never throws: a program that cannot be started ends with null. */
async function runBriefly(argv: readonly string[], { env, limitMs, cwd, signal }: Bounds): Promise<Ran> {
  if (signal?.aborted) return unstarted('')
  try {
    const child = Bun.spawn([...argv], {
      cwd,
      env: { ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      detached: true,
    })
    const end = (): void => killGroup(child.pid)
    const timer = setTimeout(end, limitMs)
    signal?.addEventListener('abort', end)
    try {
      const output = Promise.all([child.stdout.text(), child.stderr.text()])
      await child.exited
      // What it left behind would hold the pipes open; what left the group may still do so.
      killGroup(child.pid)
      const [stdout, stderr] = await Promise.race([output, Bun.sleep(DRAIN_MS).then(() => ['', ''] as const)])
      return { exitCode: child.exitCode, stdout, stderr }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
    }
  } catch (error) {
    return unstarted(messageOf(error))
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left in the group.
  }
}
