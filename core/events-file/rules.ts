import { basename, join } from 'node:path'
import { type ControlTopics, controlPatterns, isControlPattern } from '../control.ts'
import { osCodeOf } from '../errors.ts'
import type { Hat, HatId } from '../hat.ts'
import { readRegularFile } from '../regular-file.ts'
import { matchesAny, type Pattern, type Topic } from '../topic.ts'
import { writeAnew } from './create.ts'

/** What a worker may emit. Lies beside its events file, so that `ralph emit` can refuse at once. */
export interface WorkerRules {
  readonly hat: HatId
  /** Empty: not restricted. */
  readonly allowed: readonly Pattern[]
  /** Control topics; `x.*` here covers everything below `x`. They win over `allowed`. */
  readonly refused: readonly Pattern[]
}

/** The rules of a worker that plays `hat`. */
export function rulesOf(hat: Hat, control: ControlTopics): WorkerRules {
  return {
    hat: hat.id,
    allowed: hat.publishes.filter((pattern) => !isControlPattern(control, pattern)),
    refused: controlPatterns(control),
  }
}

/** Why a worker may not emit on `topic`, or null if it may. */
export function refusal(rules: WorkerRules, topic: Topic): 'control' | 'outside' | null {
  if (rules.refused.some((pattern) => covers(pattern, topic))) return 'control'
  return rules.allowed.length === 0 || matchesAny(rules.allowed, topic) ? null : 'outside'
}

/** The events file of one worker in the folder of the main one. */
export function workerFile(dir: string, wave: string, index: number): string {
  return join(dir, `wave-${wave}-${index}.jsonl`)
}

/** Where the rules of a worker lie, by its events file; null for a path that is no worker's. */
export function rulesFile(eventsFile: string): string | null {
  return /^wave-.+-\d+\.jsonl$/.test(basename(eventsFile)) ? eventsFile.replace(/jsonl$/, 'rules.json') : null
}

/** Writes the rules beside a worker's events file (0600), in place of older ones; a link there is replaced, not followed. */
export function writeRules(eventsFile: string, rules: WorkerRules): void {
  const path = rulesFile(eventsFile)
  if (path === null) throw new Error(`${eventsFile} is no worker's events file`)
  writeAnew(path, `${JSON.stringify(rules)}\n`)
}

const RULES_BYTES = 16 * 1024 * 1024

/** The rules beside an events file, or null where there are none or none that can be understood: the merge checks again. */
export function readRules(eventsFile: string): WorkerRules | null {
  const path = rulesFile(eventsFile)
  if (path === null) return null
  try {
    const value: unknown = JSON.parse(readRegularFile(path, RULES_BYTES).toString())
    return isRules(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError || osCodeOf(error) !== undefined) return null
    throw error
  }
}

function covers(pattern: Pattern, topic: Topic): boolean {
  return pattern.endsWith('.*') ? topic.startsWith(pattern.slice(0, -1)) : pattern === topic
}

function isRules(value: unknown): value is WorkerRules {
  if (typeof value !== 'object' || value === null) return false
  const { hat, allowed, refused } = value as Record<keyof WorkerRules, unknown>
  return typeof hat === 'string' && isTexts(allowed) && isTexts(refused)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
