import { closeSync, existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isShortage, messageOf, osCodeOf } from '../errors.ts'
import { err, ok, type Result } from '../result.ts'
import { leaders } from './leaders.ts'
import { readPipe } from './pipe-reading.ts'
import { closePipe, holdUnread, neverWait, openPipe, type Pipe } from './pipes.ts'
import { bootId, startTimeOf } from './processes.ts'
import { lookUpProgram } from './program.ts'
import { type Reading, readAll } from './reading.ts'
import { NO_STDIN, type Stdin, writeInto, writeTo } from './stdin.ts'

export interface Program {
  /** argv[0]: a program on `env.PATH`, or a path (relative: to `cwd`). */
  readonly argv: readonly string[]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Without: stdin is `/dev/null`. */
  readonly takesStdin: boolean
  /** Its stdout should hold so many bytes while nobody reads. Absent: what a pipe holds by itself. */
  readonly unreadBytes?: number
}

/** A started process. It leads a session and a group of its own, whose number is its pid. */
export interface Started {
  readonly pid: number
  /** Together with the pid these tell it from any other process; empty where unknown. */
  readonly startTime: () => string
  readonly bootId: string
  readonly stdin: Stdin
  /** Each stream is to be read exactly once. */
  readStdout(take: (chunk: Uint8Array) => void): Reading
  readStderr(take: (chunk: Uint8Array) => void): Reading
  readonly exited: Promise<Exit>
  /** False from the moment that the process was reaped. */
  isRunning(): boolean
}

/** Exactly one of the two is set. */
export interface Exit {
  readonly exitCode: number | null
  readonly signal: string | null
}

/** Why a program could not be started. */
export interface StartProblem {
  /** The operating system's words, with the name of the program. */
  readonly message: string
  /** The machine has too little of something for now; the program itself may be all right. */
  readonly shortage: boolean
}

/** Starts a program. */
export function startProcess(program: Program): Result<Started, StartProblem> {
  const name = program.argv[0] ?? ''
  const file = lookUpProgram(name, program.env.PATH ?? '')
  if (file === null) {
    const why = cwdProblem(program.cwd) ?? 'no absolute folder of PATH has it'
    return err({ message: `cannot start "${name}": ${why}`, shortage: false })
  }
  const pipes: (Pipe | null)[] = [program.takesStdin ? openPipe() : null, openPipe(), openPipe()]
  const [input = null, output = null, errors = null] = pipes
  if (output !== null) holdUnread(output, program.unreadBytes ?? 0)
  try {
    const child = Bun.spawn([file, ...program.argv.slice(1)], {
      argv0: name,
      cwd: program.cwd,
      env: program.env,
      stdin: program.takesStdin ? (input?.read ?? 'pipe') : 'ignore',
      stdout: output?.write ?? 'pipe',
      stderr: errors?.write ?? 'pipe',
      detached: true,
    })
    leaders.add(child.pid)
    if (input !== null) closeSync(input.read)
    if (output !== null) closeSync(output.write)
    if (errors !== null) closeSync(errors.write)
    return ok({
      pid: child.pid,
      // Not asked for at once: while the system is loading the program, the answer takes ten times as long.
      startTime: () => startTimeOf(child.pid),
      bootId: bootId(),
      stdin:
        input !== null
          ? writeTo(input.write)
          : child.stdin instanceof Object
            ? writeInto(child.stdin)
            : NO_STDIN,
      readStdout: (take) => read(output, child.stdout, take),
      readStderr: (take) => read(errors, child.stderr, take),
      exited: child.exited.then(() => {
        leaders.delete(child.pid)
        return {
          exitCode: child.signalCode === null ? child.exitCode : null,
          signal: child.signalCode === null ? null : String(child.signalCode),
        }
      }),
      isRunning: () => child.exitCode === null && child.signalCode === null,
    })
  } catch (error) {
    for (const pipe of pipes) if (pipe !== null) closePipe(pipe)
    const noFolder = cwdProblem(program.cwd)
    const message = `cannot start "${name}": ${noFolder ?? spawnProblem(error, program)}`
    return err({ message, shortage: noFolder === null && isShortage(error) })
  }
}

type Stream = ReadableStream<Uint8Array>

/** Without a pipe of ours, the runtime made one. */
function read(
  pipe: Pipe | null,
  stream: Stream | number | undefined,
  take: (chunk: Uint8Array) => void,
): Reading {
  if (pipe !== null) {
    if (neverWait(pipe.read)) return readPipe(pipe.read, take)
    return readAll(Bun.file(pipe.read).stream(), take, () => closeSync(pipe.read))
  }
  if (stream instanceof ReadableStream) return readAll(stream, take, () => {})
  throw new Error('a stream of a started process is neither a pipe nor readable')
}

/** The system would blame the program for a missing working directory. */
function cwdProblem(cwd: string): string | null {
  try {
    return statSync(cwd).isDirectory() ? null : `the working directory ${cwd} is not a directory (ENOTDIR)`
  } catch (error) {
    return `the working directory ${cwd} cannot be entered (${osCodeOf(error) ?? messageOf(error)})`
  }
}

function spawnProblem(error: unknown, { argv, cwd }: Program): string {
  const message = messageOf(error).slice(0, MAX_PROBLEM)
  const program = argv[0] ?? ''
  const script = program.includes('/') && osCodeOf(error) === 'ENOENT' && existsSync(resolve(cwd, program))
  return script ? `${message} (the file exists: the interpreter named in its first line does not)` : message
}

/** Some messages repeat the arguments. */
const MAX_PROBLEM = 500
