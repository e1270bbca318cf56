/** Runs a program to its end; throws unless it ends with `code`. What it prints goes nowhere. */
export function runProgram(
  argv: readonly string[],
  of: { cwd: string; env: Record<string, string>; stdin?: string },
): void {
  const done = Bun.spawnSync([...argv], {
    cwd: of.cwd,
    env: of.env,
    stdin: of.stdin === undefined ? 'ignore' : Buffer.from(of.stdin),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  if (done.exitCode === 0) return
  throw new Error(`${argv.join(' ')} ended with ${done.exitCode}:\n${done.stderr.toString().slice(-2000)}`)
}
