export interface Program {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** Runs a program to its end; throws unless it ends with 0. What it prints goes nowhere. */
export async function runProgram(argv: readonly string[], of: Program): Promise<void> {
  const child = Bun.spawn([...argv], {
    cwd: of.cwd,
    env: { ...of.env },
    stdin: of.stdin === undefined ? 'ignore' : Buffer.from(of.stdin),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}:\n${stderr.slice(-2000)}`)
}

/** A program that goes on, in a group of its own, which is killed when this is disposed. */
export function startProgram(argv: readonly string[], of: Program): Running {
  const child = Bun.spawn([...argv], {
    cwd: of.cwd,
    env: { ...of.env },
    stdin: of.stdin === undefined ? 'ignore' : Buffer.from(of.stdin),
    stdout: 'ignore',
    stderr: 'ignore',
    detached: true,
  })
  return {
    pid: child.pid,
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {}
      await child.exited
    },
  }
}

export interface Running extends AsyncDisposable {
  readonly pid: number
  readonly exited: Promise<number>
}
