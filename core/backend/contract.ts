import type { Restricted } from '../access.ts'

/**
 * What a backend plugin is. A plugin is data and a pure conversation: the core owns processes, files, timers and retries.
 * Plugins import types only from here.
 */
export interface Backend {
  /** Lower-case word, as in `-b <name>`. */
  readonly name: string
  /** One line for `ralph plugins`. */
  readonly summary: string
  readonly traits: Traits
  /** The program, where the plugin names it: one that answers `--version`. */
  readonly program?: string
  /** What a person must know to get the program going. Absent: nothing is known. */
  readonly setup?: Setup
  /** PATH look-up and `--version`; never a model call. */
  detect(look: Look): Promise<Detection>
  /** Pure: the command line, the environment, where the prompt goes. Called again with a shorter prompt when one is too long for an argument. */
  invoke(task: AgentTask): Invocation
  /** Pure: one conversation with one process. */
  open(task: AgentTask): Session
}

/** Facts about the program, as data. */
export interface Traits {
  /** `text`: stdout is the answer. `stream`: one JSON record a line. */
  readonly output: 'text' | 'stream'
  readonly reportsCost: boolean
  readonly reportsTokens: boolean
  readonly takesModel: boolean
  /** Levels of reasoning effort that the program's own flag takes, the least first. Absent: it has none. */
  readonly effort?: readonly string[]
  /** A conversation that has ended can be gone on with: `open` tells its `session`, and `invoke` heeds `task.resume`. */
  readonly resumes: boolean
  /** Tokens; 0 if unknown. */
  readonly contextWindow: number
  /** Least time between the starts of two of its agents, in milliseconds; up to a quarter more is waited. 0: none. */
  readonly startGapMs: number
  /**
   * It prints its prompt, and its exit does not wait for what nobody has read: where we are slow, its result would be lost. Its
   * stdout is then made to hold a prompt of up to about 800 KB. Absent: it does not.
   */
  readonly echoesAndDrops?: boolean
  /** What the program's shell tool lets a command do. */
  readonly shell: {
    readonly heredoc: boolean
    /** `$(…)` and backticks. */
    readonly substitution: boolean
    readonly keepsPath: boolean
    readonly keepsEnvironment: boolean
    /** The user's Git identity and hooks hold for a command's `git` too. */
    readonly keepsGit: boolean
  }
  /** What an agent of it may do, in words, for the run's first lines. */
  readonly access: string
  /** Narrower levels of access that the program itself holds an agent to. What is not here is refused where a user asks for it. */
  readonly enforces: Readonly<Partial<Record<Restricted, Enforcement>>>
  /** Variables that the program needs where the environment is filtered; a `*` at the end stands for any rest. */
  readonly env: readonly string[]
  /** False: written from documentation, never run by our tests. */
  readonly verified: boolean
}

/** How a program holds an agent to a level of access. */
export interface Enforcement {
  /** What the agent may do then, in words, for the run's first lines. */
  readonly says: string
  /** `message`: it can run no `ralph emit`, so that its final message is all that comes of it: enough for `ralph wave run`. */
  readonly delivers: 'events' | 'message'
  /** False: longer texts are handed over as files in the outbox. */
  readonly heredoc: boolean
  /** Words of a command line that would undo it. */
  readonly undoneBy: readonly string[]
  /** Files of a workspace that would undo it: where one is, no agent of this level starts. Absent: none is known. */
  readonly undoneByFiles?: readonly UndoingFile[]
}

/** A file or folder that the program heeds of its own accord, whatever it was started with. */
export interface UndoingFile {
  /** Relative, without `..`. */
  readonly path: string
  /** It counts in the folders above the workspace too, up to the root of its repository. */
  readonly above?: boolean
  /** Counts only if a line of it matches this regular expression, heedless of case. Absent: whenever it is there. */
  readonly holding?: string
  /** What the program does with it, as in "its hooks are commands, which the program runs". */
  readonly why: string
}

/** What `ralph doctor` tells of a program beside what it finds. Data. */
export interface Setup {
  /** How the program is had: a command line, or a few words. */
  readonly install?: string
  readonly login?: Login
  /** What goes wrong with releases of the program. */
  readonly troubles?: readonly Trouble[]
  /** Releases that the plugin was measured with, as `1.2.3`. */
  readonly measured?: readonly string[]
}

/** Signs by which a login or a key shows. Their contents are never read. */
export interface Login {
  /** Variables of which one suffices. Only whether they are set is looked at. */
  readonly variables: readonly string[]
  /** Files of which one suffices. Only whether they are there is looked at. */
  readonly files: readonly LoginFile[]
  /** Where a login can be that leaves none of these signs: then nobody can say that there is none. */
  readonly elsewhere?: Elsewhere
  /** How to log in. */
  readonly how: string
}

export interface Elsewhere {
  /** In words, such as `the keychain`. */
  readonly where: string
  /** It can be there only if one of these files is there; absent: always. */
  readonly ifThere?: readonly LoginFile[]
}

/** `name` below the folder that a variable names, else below `folder` of the home. */
export interface LoginFile {
  readonly variable?: string
  readonly folder: string
  readonly name: string
}

export interface Trouble {
  /** Releases that have it: `*`, or comparisons that all hold, such as `>=1.2.0 <1.4`. */
  readonly versions: string
  /** What goes wrong, and what is done about it or can be. */
  readonly text: string
}

/** What `detect` may ask of the machine. */
export interface Look {
  /** Absolute path of a program on PATH, or null. */
  which(program: string): string | null
  /** Runs `program args` outside of the workspace, at most 10 s. */
  run(program: string, args: readonly string[]): Promise<Ran>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
}

export interface Ran {
  /** Null: it did not end by itself, or was not started. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it was not started though it is there. */
  readonly refused?: string
}

export interface Detection {
  readonly found: boolean
  /** The program looked for. */
  readonly program: string
  readonly path?: string
  readonly version?: string
  readonly problems: readonly Problem[]
}

export interface Problem {
  readonly message: string
  /** What to do about it. */
  readonly hint: string
  /** The program will not run agents with full access; narrower levels may work. */
  readonly stops?: 'full'
}

/** One piece of work for one process. */
export interface AgentTask {
  readonly prompt: string
  /** Absolute path of a file that holds the prompt, once `invoke` has asked for one: it is then called again. */
  readonly promptFile?: string
  /** The workspace, absolute. */
  readonly cwd: string
  readonly model?: string
  /** Never a level that is not in `traits.effort`. */
  readonly effort?: string
  /** Replaces the program where the user configured another. */
  readonly command?: string
  /** The user's further arguments, in order. They come after the fixed ones and before the prompt. */
  readonly args: readonly string[]
  /** `custom` and `{command}` only. */
  readonly promptMode?: 'arg' | 'stdin'
  readonly promptFlag?: string
  /** Absent: full. Never a level that is not in `traits.enforces`. */
  readonly access?: Restricted
  /** Absolute path of a folder of the agent's own, which is there if `Invocation.privateFiles` asks for it. */
  readonly privateDir?: string
  /** The environment that the agent will get, before `Invocation.env` is applied. */
  readonly env: Readonly<Record<string, string>>
  readonly uid: number
  /** Who plays: for backends that act by role (`mock`). */
  readonly role: Role
  /** Absolute path of this very `ralph`. */
  readonly ralph: string
  /** `adapters.mock.script`, absolute. */
  readonly script?: string
  /** The prompt goes on with this conversation. Only where `traits.resumes`. */
  readonly resume?: Resume
}

/** A conversation of an agent that has ended. Serialisable. */
export interface Resume {
  /** As its program named it. */
  readonly session: string
  /** What the program had told of its spending by then: some count on from there, and what is told is to be the new part only. */
  readonly usage: Usage | null
  readonly costUsd: number | null
}

/** What a backend without a model needs to play a part. Serialisable. */
export interface Role {
  readonly kind: 'iteration' | 'worker' | 'item'
  /** Active hats; empty for the coordinator and for an item of `ralph wave run`. */
  readonly hats: readonly string[]
  readonly runId: string
  /** `RALPH_AGENT`'s number. */
  readonly agent: number
  readonly attempt: number
  /** The run's folder. */
  readonly runDir: string
  /** Workers and items only. */
  readonly wave?: {
    readonly id: string
    readonly index: number
    readonly total: number
    readonly topic: string
  }
  /** What woke the agent: topic and payload (payloads above 64 KiB are cut). */
  readonly events: readonly { readonly topic: string; readonly payload: string; readonly status?: string }[]
  readonly objective: string
  readonly completionPromise: string
  /** Absent: off. */
  readonly cancellationPromise?: string
  /** All hats of the run, in config order. */
  readonly graph: readonly RoleHat[]
}

/** What a player must know of a hat. */
export interface RoleHat {
  readonly id: string
  readonly name: string
  readonly triggers: readonly string[]
  readonly publishes: readonly string[]
  readonly concurrency: number
  readonly aggregate: boolean
}

export interface Invocation {
  /** argv[0] is a program on PATH or a path (relative: to the workspace). */
  readonly argv: readonly string[]
  readonly env?: { readonly set?: Readonly<Record<string, string>>; readonly unset?: readonly string[] }
  /**
   * `arg`: the prompt stands in argv, a long one as a sentence that names a file; stdin is empty. `stdin`: the session
   * writes it. `file`: argv names `task.promptFile`, which exists while the agent runs; stdin is empty.
   */
  readonly prompt: 'arg' | 'stdin' | 'file'
  /** Milliseconds between TERM and KILL; 250 by default, at most 3000. */
  readonly killGraceMs?: number
  /**
   * Files that the agent finds in `task.privateDir` (0700). An empty list: the folder alone. It is made for the first
   * attempt of a work, kept for its further ones, and then removed.
   */
  readonly privateFiles?: readonly PrivateFile[]
}

/** A file of an agent's private folder. `path` is relative, without `..`. */
export type PrivateFile =
  | { readonly path: string; readonly text: string }
  /** A copy of the user's own file, absolute; left out where there is none. */
  | { readonly path: string; readonly copyOf: string }

export interface Session {
  /** What to write first. A one-shot program: the prompt, then the end of stdin. */
  start(): readonly Say[]
  /** One line of output, without its newline. Never throws on unknown input. */
  line(stream: 'out' | 'err', text: string): readonly Say[]
  /** A wish during the conversation; an empty list if the program cannot. */
  ask(request: Ask): readonly Say[]
  /** The process has ended and all output was given to `line`. */
  end(end: ProcessEnd): { readonly says: readonly Say[]; readonly verdict: Verdict }
}

export type Ask = { readonly kind: 'interrupt' } | { readonly kind: 'say'; readonly text: string }

export type Say = { readonly event: AgentEvent } | { readonly write: string } | { readonly closeStdin: true }

/** What an agent did, in words that all backends share. */
export type AgentEvent =
  /** The program's own name for the conversation. */
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_start'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'tool_end'; readonly id: string; readonly output: string; readonly isError: boolean }
  /** Totals of the session so far: the last one counts. `input` includes what was read from or written to a cache. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Total cost of the session so far: the last one counts. */
  | { readonly type: 'cost'; readonly usd: number }
  | { readonly type: 'turns'; readonly turns: number }
  /** The final message as known so far: the last one counts. Without one, it is all of stdout, trimmed. */
  | { readonly type: 'final'; readonly text: string }
  /** Number of tools and background tasks that are open. */
  | { readonly type: 'open'; readonly count: number }
  /** The stream says that the agent is done. A later record of any other kind takes it back. */
  | { readonly type: 'terminal' }
  /** The program itself tries again. */
  | {
      readonly type: 'retrying'
      readonly class: FailureClass
      readonly attempt: number
      readonly delayMs?: number
    }
  | { readonly type: 'error'; readonly class: FailureClass; readonly message: string }

export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Tokens in the context at its fullest; 0 if unknown. */
  readonly context: number
}

export const FAILURE_CLASSES = [
  'auth',
  'rate_limit',
  'overload',
  'quota',
  'context_too_long',
  'turn_limit',
  'budget',
  'tool_permission',
  'network',
  'locked',
  'model',
  'refusal',
  'config',
  'crash',
  'unknown',
] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** How the process ended. Exactly one of `exitCode` and `signal` is set. */
export interface ProcessEnd {
  readonly exitCode: number | null
  /** `SIGKILL`, … */
  readonly signal: string | null
  /** True if we ended it ourselves. */
  readonly stoppedByUs: boolean
  /** Last lines. */
  readonly stdoutTail: string
  readonly stderrTail: string
}

/** The plugin's judgement from stream and process together. Exit code 0 alone is never a success for a streaming program. */
export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly class: FailureClass
      readonly message: string
      /** The provider's own wish. */
      readonly retryAfterMs?: number
    }
