import { readFileSync } from 'node:fs'
import { type Finished, RALPH, type Sandbox } from '../helpers/sandbox.ts'

export interface Measured extends Finished {
  /** The most memory that the program itself held at once. */
  readonly megabytes: number
  readonly seconds: number
}

/** Runs ralph in a sandbox, and looks at what it takes. */
export async function measured(
  box: Sandbox,
  args: readonly string[],
  options: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Measured> {
  const began = performance.now()
  const child = Bun.spawn([RALPH, ...args], {
    cwd: box.dir,
    env: box.env(options.env),
    stdin: options.stdin === undefined ? 'ignore' : Buffer.from(options.stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let megabytes = 0
  const look = setInterval(() => {
    megabytes = Math.max(megabytes, peakMegabytes(child.pid))
  }, 10)
  try {
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    const seconds = (performance.now() - began) / 1000
    return { code, stdout, stderr, seconds, megabytes }
  } finally {
    clearInterval(look)
    child.kill('SIGKILL')
  }
}

/** `ru_maxrss` would begin with what this process held when it started the other one. */
function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}
