import { descriptorsFor } from '../../core/agent/descriptors.ts'
import { type Check, doubtful, fine } from './check.ts'

/** Open files that one process may have: `soft` counts, and can be raised up to `hard`. `Infinity`: no limit. */
export interface FileLimits {
  readonly soft: number
  readonly hard: number
}

/** As programs started from here get them; null: cannot be told. */
export function readFileLimits(): FileLimits | null {
  try {
    const { stdout } = Bun.spawnSync(['/bin/sh', '-c', 'ulimit -Sn; ulimit -Hn'], {
      cwd: '/',
      stdin: 'ignore',
      stderr: 'ignore',
    })
    const [soft, hard] = stdout.toString().trim().split('\n').map(limitOf)
    return soft === undefined || hard === undefined || Number.isNaN(soft + hard) ? null : { soft, hard }
  } catch {
    return null
  }
}

function limitOf(text: string): number {
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number.parseInt(text, 10)
}

/** Against the descriptors that a run needs with so many agents at once. With fewer it starts fewer. */
export function rateOpenFiles(limits: FileLimits | null, agents: number): Check {
  const check = 'open files'
  if (limits === null) return fine(check, 'this system does not tell its limit')
  const needed = descriptorsFor(agents)
  const shown = (limit: number) => (limit === Number.POSITIVE_INFINITY ? 'unlimited' : `${limit}`)
  const detail = `${shown(limits.soft)} (at most ${shown(limits.hard)}); ${agents} agents at once need up to ${needed}`
  if (limits.soft >= needed) return fine(check, detail)
  return limits.hard >= needed
    ? doubtful(check, detail, `ulimit -n ${needed} in this shell`)
    : doubtful(check, detail, 'lower features.max_concurrency, or have the limit raised')
}
