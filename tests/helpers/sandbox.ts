import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** The binary under test: `npm run build` makes it; `RALPH_TEST_BINARY` names another. */
export const RALPH = resolve(process.env.RALPH_TEST_BINARY ?? join(import.meta.dir, '../../dist/ralph'))

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Default: empty (`/dev/null`). */
  readonly stdin?: string | Uint8Array
}

/**
 * A fresh temporary directory without Git, with an empty home beside it. Removed when it is disposed.
 * `RALPH_TRUST=1` is the only `RALPH_*` variable of its processes.
 */
export interface Sandbox extends AsyncDisposable {
  /** The workspace. */
  readonly dir: string
  readonly home: string
  path(...parts: string[]): string
  write(path: string, text: string): string
  /** Writes an executable script. */
  script(path: string, text: string): string
  read(path: string): string
  exists(path: string): boolean
  /** Lines of a JSONL file, parsed. */
  rows(path: string): Record<string, unknown>[]
  env(more?: Readonly<Record<string, string>>): Record<string, string>
  ralph(args: readonly string[], options?: RunOptions): Promise<Finished>
  start(args: readonly string[], options?: RunOptions): Started
  sh(command: string, options?: RunOptions): Promise<Finished>
}

export interface Started {
  readonly pid: number
  readonly finished: Promise<Finished>
  kill(signal: NodeJS.Signals): void
}

export function sandbox(): Sandbox {
  const root = mkdtempSync(join(tmpdir(), 'ralph-test-'))
  const dir = join(root, 'work')
  const home = join(root, 'home')
  mkdirSync(dir)
  mkdirSync(home)
  const started = new Set<Started>()

  const box: Sandbox = {
    dir,
    home,
    path: (...parts) => join(dir, ...parts),
    write(path, text) {
      const full = join(dir, path)
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, text)
      return full
    },
    script(path, text) {
      const full = box.write(path, text)
      chmodSync(full, 0o755)
      return full
    },
    read: (path) => readFileSync(join(dir, path), 'utf8'),
    exists: (path) => existsSync(join(dir, path)),
    rows: (path) =>
      box
        .read(path)
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    env: (more) => ({
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: home,
      TMPDIR: process.env.TMPDIR ?? tmpdir(),
      RALPH_TRUST: '1',
      ...more,
    }),
    ralph: (args, options) => box.start(args, options).finished,
    start: (args, options) => launch([RALPH, ...args], options),
    sh: (command, options) =>
      launch(['bash', '-c', command], { ...options, env: { RALPH_BIN: RALPH, ...options?.env } }).finished,
    async [Symbol.asyncDispose]() {
      for (const one of started) one.kill('SIGKILL')
      await Promise.all([...started].map((one) => one.finished))
      rmSync(root, { recursive: true, force: true })
    },
  }

  function launch(argv: string[], options: RunOptions = {}): Started {
    const { stdin } = options
    const child = Bun.spawn(argv, {
      cwd: options.cwd ?? dir,
      env: box.env(options.env),
      stdin: stdin === undefined ? 'ignore' : typeof stdin === 'string' ? Buffer.from(stdin) : stdin,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const finished = collect(child)
    const one: Started = { pid: child.pid, finished, kill: (signal) => child.kill(signal) }
    started.add(one)
    void finished.then(() => started.delete(one))
    return one
  }
  return box
}

async function collect(child: Bun.Subprocess<'ignore' | Uint8Array, 'pipe', 'pipe'>): Promise<Finished> {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, stdout, stderr }
}

/** Waits until `check` gives something, asking every 10 ms; fails after `ms`. For things that only another process can tell. */
export async function until<T>(
  what: string,
  check: () => T | undefined | null | false,
  ms = 10_000,
): Promise<T> {
  const end = Date.now() + ms
  while (true) {
    const found = check()
    if (found) return found
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain for ${what}`)
    await Bun.sleep(10)
  }
}
