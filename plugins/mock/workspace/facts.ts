import { readFileSync, type Stats, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Facts that can be counted. Lines are numbered from 1. */
export interface FileFacts {
  readonly path: string
  readonly lines: number
  /** In characters. */
  readonly longest: { readonly length: number; readonly line: number }
  /** `TODO` and `FIXME`. */
  readonly marks: { readonly count: number; readonly firstLine: number | null }
  /** `YYYY-MM-DD`: of the last commit, else of the file itself. */
  readonly changed: { readonly date: string; readonly by: 'commit' | 'file' }
}

const LARGEST = 2_000_000

/** Null for what is no text, larger than 2 MB, or gone. */
export function readFacts(root: string, path: string): FileFacts | null {
  const full = join(root, path)
  const read = readText(full)
  if (read === null) return null
  const commit = lastCommit(root, path)
  return {
    path,
    ...countFacts(read.text),
    changed:
      commit === null
        ? { date: read.stats.mtime.toISOString().slice(0, 10), by: 'file' }
        : { date: commit, by: 'commit' },
  }
}

export function countFacts(text: string): Pick<FileFacts, 'lines' | 'longest' | 'marks'> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  let longest = { length: 0, line: 0 }
  let count = 0
  let firstLine: number | null = null
  for (const [i, line] of lines.entries()) {
    const marks = line.match(/\b(?:TODO|FIXME)\b/g)?.length ?? 0
    if (marks > 0) firstLine ??= i + 1
    count += marks
    if (line.length <= longest.length) continue
    const length = [...line].length
    if (length > longest.length) longest = { length, line: i + 1 }
  }
  return { lines: lines.length, longest, marks: { count, firstLine } }
}

function readText(path: string): { readonly text: string; readonly stats: Stats } | null {
  try {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > LARGEST) return null
    const bytes = readFileSync(path)
    if (bytes.subarray(0, 8000).includes(0)) return null
    return { text: bytes.toString('utf8'), stats }
  } catch {
    return null
  }
}

/** Nothing is started that the repository's own configuration names. */
const HARMLESS = ['--no-pager', '-c', 'log.showSignature=false', '-c', 'core.fsmonitor=false'] as const

/** Null outside Git, without Git, and for a file that was never committed. */
function lastCommit(root: string, path: string): string | null {
  try {
    const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
    const program = Bun.which('git', { PATH: folders.join(delimiter) })
    if (program === null) return null
    const git = Bun.spawnSync([program, ...HARMLESS, 'log', '-1', '--format=%cs', '--', path], {
      cwd: root,
      env: { ...process.env, GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' },
      stdout: 'pipe',
      stderr: 'ignore',
      timeout: 2000,
    })
    const date = git.stdout.toString().trim()
    return git.exitCode === 0 && date !== '' ? date : null
  } catch {
    return null
  }
}
