import { join } from 'node:path'

/** The folder that holds the state of all runs (contract/loop §12.2): `RALPH_STATE_DIR`, else XDG's, else below the home. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string | null {
  if (env.RALPH_STATE_DIR) return env.RALPH_STATE_DIR
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'ralph')
  return env.HOME ? join(env.HOME, '.local', 'state', 'ralph') : null
}

/** Folder of one item of a wave: prompt, logs, results, outcome (contract/waves §7). */
export function itemFolder(runDir: string, wave: string, index: number): string {
  return `${runDir}/waves/${wave}/${index}`
}

/** Whole payload of the n-th (from 1) result of an item. */
export function resultPath(runDir: string, wave: string, index: number, n: number): string {
  return `${itemFolder(runDir, wave, index)}/result-${n}.txt`
}

/** `stdout.log`, or `stdout.<k>.log` for the k-th attempt. */
export function logPaths(
  folder: string,
  attempt: number,
): { readonly stdout: string; readonly stderr: string } {
  const suffix = attempt > 1 ? `.${attempt}.log` : '.log'
  return { stdout: `${folder}/stdout${suffix}`, stderr: `${folder}/stderr${suffix}` }
}
