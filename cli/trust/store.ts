import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { appendText } from '../../core/events-file/append.ts'
import { stateFolder } from '../../core/journal/paths.ts'
import { err, ok, type Result } from '../../core/result.ts'
import { realPathOf } from './inside.ts'

/** The words that a user has given for one workspace. */
export interface TrustStore {
  has(fingerprint: string): boolean
  /** Throws the system's error. */
  keep(words: readonly { readonly fingerprint: string; readonly what: string }[]): void
}

/**
 * Opens the store in the state folder: one file a workspace, one line a word. Fails with why there can be none:
 * a state folder that a workspace brings along would let the workspace speak for the user.
 */
export function openTrustStore(of: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workspace: string
  readonly home: string | null
  readonly isInside: (path: string) => boolean
}): Result<TrustStore, string> {
  const { env, workspace, home, isInside } = of
  const state = stateFolder(env)
  if (state === null) return err('there is no home folder to keep it in')
  const folder = resolve(workspace, state)
  const isOwn = home !== null && isInside(home)
  if (isInside(folder) && !isOwn) return err(`the state folder ${folder} lies in this workspace`)
  const path = join(folder, 'trust', keyOf(realPathOf(workspace)))
  const kept = readKept(path)
  return ok({
    has: (fingerprint) => kept.has(fingerprint),
    keep(words) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const at = new Date().toISOString()
      const lines = words.map(({ fingerprint, what }) => JSON.stringify({ sha256: fingerprint, what, at }))
      appendText(path, lines.map((line) => `${line}\n`).join(''))
      for (const { fingerprint } of words) kept.add(fingerprint)
    },
  })
}

function keyOf(workspace: string): string {
  return new Bun.CryptoHasher('sha256').update(workspace).digest('hex').slice(0, 32)
}

/** Lines that cannot be read trust nothing. */
function readKept(path: string): Set<string> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return new Set()
  }
  return new Set(text.split('\n').flatMap(fingerprintOf))
}

function fingerprintOf(line: string): readonly string[] {
  try {
    const row: unknown = JSON.parse(line)
    if (typeof row !== 'object' || row === null || !('sha256' in row)) return []
    return typeof row.sha256 === 'string' ? [row.sha256] : []
  } catch {
    return []
  }
}
