import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf, osCodeOf, RalphError } from '../core/errors.ts'
import { type Place, RALPH_DIR } from '../core/events-file/target.ts'
import { readRegularFile } from '../core/regular-file.ts'

/** Items of one wave where no config says otherwise. */
const DEFAULT = 100

/**
 * `features.max_wave_items`: of `overrides` (`-c`), of the run that called, of the main file, of the user's own file, 100.
 * Reads this one key and checks nothing else: a dispatch does not fail for a config error that the loop has reported.
 */
export async function readMaxWaveItems(
  place: Place,
  workspace: string,
  overrides: readonly string[],
): Promise<number> {
  const files = overrides.filter((text) => isFile(resolve(place.cwd, text)) || !text.includes('='))
  const values = overrides.filter((text) => !files.includes(text))
  const prefix = `${KEY.join('.')}=`
  const value = values.findLast((text) => text.startsWith(prefix))
  if (value !== undefined) return checkedCount(value.slice(prefix.length))
  const ofRun = limitOfRun(place, workspace)
  if (ofRun !== null) return ofRun

  const [named] = files
  const main =
    named === undefined
      ? readIfThere(resolve(workspace, place.env.RALPH_CONFIG || 'ralph.yml'))
      : readNamed(resolve(place.cwd, named))
  const home = place.env.HOME ? readIfThere(join(place.env.HOME, '.ralph', 'config.yml')) : null
  return (await countIn(main)) ?? (await countIn(home)) ?? DEFAULT
}

const KEY = ['features', 'max_wave_items'] as const

/** What the run in which an agent calls us keeps beside its journal: it may come from a flag that no file shows. */
function limitOfRun({ env }: Place, workspace: string): number | null {
  if (!env.RALPH_RUN_ID) return null
  const text = readIfThere(join(workspace, RALPH_DIR, 'runs', env.RALPH_RUN_ID, 'limits.json'))
  const value = text === null ? null : /"maxWaveItems":(\d+)/.exec(text)?.[1]
  return value === undefined || value === null ? null : checkedCount(value)
}

/** The key's value in a config text. The YAML parser is loaded only for a text that names the key. */
async function countIn(text: string | null): Promise<number | null> {
  if (text?.includes(KEY[1]) !== true) return null
  const { parseDocument } = await import('yaml')
  const value: unknown = parseDocument(text).getIn(KEY)
  return isCount(value) ? value : null
}

function checkedCount(text: string): number {
  const count = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN
  if (isCount(count)) return count
  throw new RalphError('config', `${KEY.join('.')}: '${text}' is no whole number from 1 to ${MAX_COUNT}`)
}

const MAX_COUNT = 2 ** 31 - 1

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_COUNT
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function readNamed(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new RalphError('config', `cannot read ${path}: ${messageOf(error)}`, { cause: error })
  }
}

function readIfThere(path: string): string | null {
  try {
    return readRegularFile(path, 16 * 1024 * 1024).toString()
  } catch (error) {
    if (osCodeOf(error) !== undefined) return null
    throw error
  }
}
