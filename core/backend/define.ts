import type { AgentTask, Backend, Detection, Invocation, Look, Session, Setup, Traits } from './contract.ts'
import { detectProgram } from './detection.ts'
import { textSession } from './text-session.ts'

/**
 * What a plugin file exports by default: a plain object, made without run-time imports.
 * `name` and `invoke` suffice for a program that reads one prompt and prints one answer.
 */
export interface BackendPlugin {
  /** `[a-z][a-z0-9-]*`, and the name of the file. */
  readonly name: string
  readonly summary?: string
  /**
   * What is looked for on PATH; else the first word of what `invoke` gives. Named here, it is asked its version, with
   * `--version`, when a run begins.
   */
  readonly program?: string
  readonly traits?: PartialTraits
  /** How the program is had, where its login is, what is known to go wrong: for `ralph doctor`. */
  readonly setup?: Setup
  invoke(task: AgentTask): Invocation
  /** Replaces the look for `program` as a whole. */
  detect?(look: Look): Promise<Detection>
  /** Problems of a program that is there, such as a user it refuses to run as. */
  caveats?(look: Look): Detection['problems']
  open?(task: AgentTask): Session
}

export type PartialTraits = Partial<Omit<Traits, 'shell'>> & { readonly shell?: Partial<Traits['shell']> }

/** Completes a plugin. What it leaves out becomes a one-shot text program about which nothing good is assumed. */
export function defineBackend(plugin: BackendPlugin): Backend {
  return {
    name: plugin.name,
    summary: plugin.summary ?? `the program of plugin ${plugin.name}`,
    traits: completeTraits(plugin.traits ?? {}),
    ...(plugin.program === undefined ? {} : { program: plugin.program }),
    ...(plugin.setup === undefined ? {} : { setup: plugin.setup }),
    invoke: (task) => plugin.invoke(task),
    open: (task) => (plugin.open ? plugin.open(task) : textSession(task, plugin.invoke(task))),
    async detect(look) {
      if (plugin.detect) return plugin.detect(look)
      const detection = await detectProgram(look, plugin.program ?? programOf(plugin))
      const caveats = detection.path === undefined ? [] : (plugin.caveats?.(look) ?? [])
      return { ...detection, problems: [...detection.problems, ...caveats] }
    },
  }
}

function completeTraits(given: PartialTraits): Traits {
  return {
    output: 'text',
    reportsCost: false,
    reportsTokens: false,
    takesModel: false,
    resumes: false,
    contextWindow: 0,
    startGapMs: 0,
    access: 'whatever the program allows itself',
    enforces: {},
    env: [],
    verified: false,
    ...given,
    shell: {
      heredoc: true,
      substitution: true,
      keepsPath: true,
      keepsEnvironment: true,
      keepsGit: true,
      ...given.shell,
    },
  }
}

function programOf(plugin: BackendPlugin): string {
  return plugin.invoke(EMPTY_TASK).argv[0] ?? plugin.name
}

/** A task without content, for asking a plugin which program it would start. */
const EMPTY_TASK: AgentTask = {
  prompt: '',
  cwd: '/',
  args: [],
  env: {},
  uid: 0,
  ralph: 'ralph',
  role: {
    kind: 'iteration',
    hats: [],
    runId: 'none',
    agent: 0,
    attempt: 1,
    runDir: '/',
    events: [],
    objective: '',
    completionPromise: '',
    graph: [],
  },
}
