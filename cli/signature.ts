import { readFileSync } from 'node:fs'
import type { WaveTag } from '../core/event.ts'
import { isWaveNumber } from '../core/events-file/record.ts'

/** Who writes a line, and for which item of a wave. */
export interface Signature {
  readonly agent?: string
  readonly wave?: WaveTag
}

/**
 * Reads it from the writer's environment. Where `RALPH_AGENT` is missing there and `inRun` says that the workspace has a
 * run, the nearest ancestor that has it tells (Linux): tools that start with an empty environment still belong to an agent.
 */
export function signature(
  env: Readonly<Record<string, string | undefined>>,
  inRun: () => boolean,
  ancestor: () => string | null = () => agentOfAncestors(process.ppid),
): Signature {
  const agent = env.RALPH_AGENT || (inRun() ? ancestor() : null)
  const wave = waveTag(env)
  return { ...(agent === null ? {} : { agent }), ...(wave === null ? {} : { wave }) }
}

/** `RALPH_AGENT` in the environment with which `pid`, or the nearest process above it that has one, was started. */
export function agentOfAncestors(pid: number): string | null {
  for (let current = pid, steps = 0; current > 1 && steps < 100; steps++) {
    const agent = variableOf(current, 'RALPH_AGENT')
    if (agent) return agent
    current = parentOf(current)
  }
  return null
}

/** The tag of a worker's lines: both variables, and an index that is one. */
function waveTag(env: Readonly<Record<string, string | undefined>>): WaveTag | null {
  const { RALPH_WAVE_ID: id, RALPH_WAVE_INDEX: digits } = env
  if (!id || digits === undefined || !/^\d+$/.test(digits)) return null
  const index = Number(digits)
  return isWaveNumber(index) ? { id, index } : null
}

function variableOf(pid: number, name: string): string | null {
  const entries = readProc(pid, 'environ').split('\0')
  return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
}

/** 0 where it cannot be known. */
function parentOf(pid: number): number {
  const stat = readProc(pid, 'stat')
  // The program's name, in parentheses, may itself hold spaces and parentheses.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

/** Empty where there is no such process, no permission, or no `/proc`. */
function readProc(pid: number, file: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
