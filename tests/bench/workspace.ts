import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A fresh workspace of a benchmark, with an empty home beside it. */
export interface Workspace {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Absolute path of an executable script that is written now. */
  script(name: string, text: string): string
  write(name: string, text: string): string
  /** Lines of a file; none if it is not there. */
  lines(name: string): readonly string[]
  /** Paths of the files of this name in the folders of all runs so far. */
  kept(name: string): readonly string[]
  remove(): void
}

export function createWorkspace(dir: string): Workspace {
  const root = mkdtempSync(join(dir, 'bench-'))
  const cwd = join(root, 'work')
  const home = join(root, 'home')
  mkdirSync(cwd)
  // GNU parallel asks for a citation only once, and remembers it there.
  mkdirSync(join(home, '.parallel'), { recursive: true })
  writeFileSync(join(home, '.parallel', 'will-cite'), '')
  const write = (name: string, text: string, mode = 0o644): string => {
    writeFileSync(join(cwd, name), text, { mode })
    return join(cwd, name)
  }
  return {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, RALPH_TRUST: '1' },
    script: (name, text) => write(name, text, 0o755),
    write,
    lines(name) {
      try {
        return readFileSync(join(cwd, name), 'utf8').split('\n').filter(Boolean)
      } catch {
        return []
      }
    },
    kept(name) {
      const runs = join(home, '.local', 'state', 'ralph', 'runs')
      if (!existsSync(runs)) return []
      const all = readdirSync(runs, { recursive: true }).map(String)
      return all.filter((path) => basename(path) === name).map((path) => join(runs, path))
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** `item-0` …, one a line. */
export function itemLines(count: number): string {
  return Array.from({ length: count }, (_, i) => `item-${i}\n`).join('')
}

/** Argv of `ralph wave run` over lines on stdin, each worked on by `command`. */
export function waveArgv(ralph: string, of: { command: string; jobs: number }): readonly string[] {
  return [ralph, 'wave', 'run', '-b', 'custom', '-c', `cli.command=${of.command}`, '-j', String(of.jobs)]
}
