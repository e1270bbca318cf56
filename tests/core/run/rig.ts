import type { AgentEnd } from '../../../core/agent/end.ts'
import type { Blob } from '../../../core/blob.ts'
import { inline } from '../../../core/blob.ts'
import type { EventLoopSettings, FeatureSettings } from '../../../core/config/settings.ts'
import type { Event } from '../../../core/event.ts'
import type { Hat } from '../../../core/hat.ts'
import { absorb } from '../../../core/run/absorb.ts'
import type { Action } from '../../../core/run/action.ts'
import { createState } from '../../../core/run/create.ts'
import { decide } from '../../../core/run/decide.ts'
import { type Fact, type FactBody, isDurable } from '../../../core/run/fact.ts'
import { intended } from '../../../core/run/intended.ts'
import type { Rules, State, StopReason } from '../../../core/run/state.ts'
import { createTopology } from '../../../core/topology.ts'

/** A run whose world is the test: it sees what decide permits, and says what happens next. No clock, no process. */
export interface Rig {
  readonly state: State
  /** Every action so far, in order. */
  readonly actions: Action[]
  /** Every durable fact so far: the journal. */
  readonly journal: Fact[]
  /** Why the run ended, if it has. */
  readonly end: StopReason | null
  /** Numbers of agents that run now. */
  running(): number[]
  /** Actions of a kind, so far. */
  all<K extends Action['kind']>(kind: K): Extract<Action, { kind: K }>[]
  happen(...facts: FactBody[]): void
  /** The agent of the iteration that runs writes events and ends. */
  act(events: readonly (readonly [string, string?])[], end?: Partial<AgentEnd>): void
  /** A worker writes events into its file and ends. */
  work(n: number, events: readonly (readonly [string, string?])[], end?: Partial<AgentEnd>): void
  /** Lets time pass. */
  pass(ms: number): void
}

export const LOOP: EventLoopSettings = {
  promptFile: 'PROMPT.md',
  completionPromise: 'LOOP_COMPLETE',
  maxIterations: 100,
  maxRuntimeSeconds: 14_400,
  maxConsecutiveFailures: 5,
  maxSilentIterations: 3,
  cooldownDelaySeconds: 0,
  requiredEvents: [],
  persistent: false,
  enforceHatScope: false,
}

export const FEATURES: FeatureSettings = {
  maxConcurrency: 8,
  maxWaveItems: 100,
  strays: 'wave',
  retry: { attempts: 3, on: ['rate_limit', 'overload', 'network', 'locked'], backoffSeconds: 10 },
  maxAgents: 1000,
  maxDepth: 2,
  exitGraceSeconds: 15,
  emitGraceSeconds: 120,
}

export function hat(
  id: string,
  triggers: readonly string[],
  publishes: readonly string[],
  more: Partial<Hat> = {},
): Hat {
  return {
    id,
    name: id,
    description: id,
    triggers,
    publishes,
    instructions: '',
    backendArgs: [],
    disallowedTools: [],
    concurrency: 1,
    ...more,
  }
}

/** `aggregate: {mode: wait_for_all}`, with a timeout if one is set. */
export function aggregate(timeoutSeconds?: number): Pick<Hat, 'aggregate'> {
  return {
    aggregate: {
      mode: 'wait_for_all',
      timeoutSeconds: timeoutSeconds ?? 300,
      timeoutIsSet: timeoutSeconds !== undefined,
      budgetBytes: 200_000,
    },
  }
}

/** The fixture FW of the contract's cases: disp → work (concurrency 3) → agg. */
export function waveHats(work: Partial<Hat> = {}, agg: Partial<Hat> = {}): Hat[] {
  return [
    hat('disp', ['work.start'], ['item.go']),
    hat('work', ['item.go'], ['item.done'], { concurrency: 3, ...work }),
    hat('agg', ['item.done'], ['LOOP_COMPLETE'], { ...aggregate(), ...agg }),
  ]
}

export const CLEAN: AgentEnd = {
  exitCode: 0,
  signal: null,
  spawnError: null,
  stoppedFor: null,
  failure: null,
  usage: null,
  costUsd: null,
  turns: null,
  finalMessage: inline(''),
  textEvents: [],
  lastLine: '',
  durationMs: 10,
  tail: '',
  strays: [],
  scratchpadChanged: false,
}

/** An end by exit code, as a text backend judges it. */
export function exits(code: number, tail = ''): Partial<AgentEnd> {
  return code === 0
    ? { exitCode: 0, tail }
    : { exitCode: code, tail, failure: { class: 'crash', message: `exit code ${code}` } }
}

/** An end with a final message. */
export function says(text: string): Partial<AgentEnd> {
  return { finalMessage: inline(text), lastLine: text.split('\n').at(-1) ?? '' }
}

export interface RigOptions {
  readonly hats?: readonly Hat[]
  readonly loop?: Partial<EventLoopSettings>
  readonly features?: Partial<FeatureSettings>
  readonly backend?: Partial<Rules['backends'][string]>
  readonly objective?: string
  /** Facts of an earlier invocation: the rig goes on with that run. */
  readonly earlier?: readonly Fact[]
  /** What the earlier invocation was given, where the config was edited since. */
  readonly began?: RigOptions
  /** What was on disk and the earlier invocation's journal does not know: told before its resumption, and with it. */
  readonly onDisk?: {
    readonly lines?: readonly Event[]
    readonly outcomes?: readonly FactBody[]
    readonly found?: Extract<FactBody, { type: 'loop.resumed' }>['found']
    readonly lost?: readonly string[]
  }
  /** What a person asks of the earlier run, told together with its resumption. `state`: as its journal leaves it. */
  readonly asked?: (state: State) => readonly FactBody[]
}

export function rig(options: RigOptions = {}): Rig {
  const state = rigState(options.began ?? options)
  const actions: Action[] = []
  const journal: Fact[] = []
  let end: StopReason | null = null
  let now = 0
  let offset = 0

  function record(bodies: readonly FactBody[]): void {
    for (const body of bodies) {
      const fact: Fact = { ...body, at: 1_000_000 + now, mono: now }
      if (isDurable(body)) journal.push(JSON.parse(JSON.stringify(fact)) as Fact)
      absorb(state, fact)
    }
  }

  /** Does what needs no world: everything up to the next thing that only the test can tell. */
  function settle(): void {
    for (let turn = 0; turn < 1000; turn++) {
      const permitted = decide(state, { wall: 1_000_000 + now, mono: now })
      if (permitted.length === 0) return
      record(permitted.map(intended))
      actions.push(...permitted)
      const answers = permitted.flatMap(answer)
      if (end !== null) return
      record(answers)
    }
    throw new Error('decide permits something without end')
  }

  function answer(action: Action): FactBody[] {
    switch (action.kind) {
      case 'read-events':
        return [{ type: 'events.read', events: [], bad: [], offset, final: true }]
      case 'append-text-events':
        return [
          {
            type: 'events.read',
            events: action.iteration.end?.textEvents ?? [],
            bad: [],
            offset,
            final: true,
          },
        ]
      case 'close-iteration':
        return [{ type: 'iteration.closed', iteration: action.iteration.number }]
      case 'merge-wave':
        return [{ type: 'wave.merged', wave: action.wave.id, change: null }]
      case 'end':
        end = action.reason
        return []
      default:
        return []
    }
  }

  const made: Rig = {
    state,
    actions,
    journal,
    get end() {
      return end
    },
    running: () => [...state.running.keys()],
    all: (kind) =>
      actions.filter((action): action is Extract<Action, { kind: typeof kind }> => action.kind === kind),
    happen(...facts) {
      record(facts)
      settle()
    },
    act(events, more) {
      const n = [...state.running.keys()].at(-1)
      if (n === undefined) throw new Error('no agent runs')
      offset += events.length
      made.happen(
        { type: 'events.read', events: events.map(toEvent), bad: [], offset, final: false },
        { type: 'agent.ended', n, end: { ...CLEAN, ...more } },
      )
    },
    work(n, events, more) {
      made.happen(
        { type: 'worker.read', n, events: events.map(toEvent), bad: [] },
        { type: 'agent.ended', n, end: { ...CLEAN, ...more } },
      )
    },
    pass(ms) {
      now += ms
      settle()
    },
  }
  if (options.earlier !== undefined) {
    for (const fact of options.earlier) absorb(state, fact)
    journal.push(...options.earlier)
    const asked = options.asked?.(state) ?? []
    const { lines = [], outcomes = [], found = [], lost = [] } = options.onDisk ?? {}
    made.happen(
      ...outcomes,
      ...(lines.length === 0
        ? []
        : [{ type: 'events.read', events: lines, bad: [], offset: 99, final: false } as const]),
      {
        type: 'loop.resumed',
        objective: options.objective === undefined ? null : inline(options.objective),
        filed: [],
        totalLimits: false,
        found,
        lost,
        ...(options.began === undefined
          ? {}
          : { config: { rules: rulesOf(options), hats: options.hats ?? [] } }),
      },
      ...asked,
    )
    return made
  }
  made.happen({
    type: 'loop.opened',
    objective: inline(options.objective ?? 'X'),
    topic: options.loop?.startingEvent ?? 'task.start',
    continued: false,
  })
  return made
}

/** The state of a rig before its first fact. */
export function rigState(options: RigOptions): State {
  return createState({
    run: {
      id: 'primary-1',
      workspace: '/w',
      dir: '/s',
      eventsFile: '/w/.ralph/events.jsonl',
      pid: 1,
      startedAt: 1_000_000,
      startedMono: 0,
    },
    rules: rulesOf(options),
    topology: createTopology(options.hats ?? []),
    loop: true,
  })
}

export function rulesOf(options: RigOptions): Rules {
  return {
    eventLoop: { ...LOOP, ...options.loop },
    features: { ...FEATURES, ...options.features },
    backends: {
      '': { name: 'custom', output: 'text', contextWindow: 0, inactivitySeconds: 900, ...options.backend },
    },
  }
}

function toEvent([topic, payload = '']: readonly [string, string?]): Event {
  return { topic, payload: inline(payload) }
}

/** A dispatch line, as `ralph wave emit` writes it. */
export function dispatchLine(
  id: string,
  index: number | undefined,
  total: number | undefined,
  topic = 'item.go',
  payload = `p${index}`,
): Event {
  return {
    topic,
    payload: inline(payload),
    wave: { id, ...(index === undefined ? {} : { index }), ...(total === undefined ? {} : { total }) },
  }
}

/** The agent of the iteration dispatches a wave and ends. */
export function dispatch(
  r: Rig,
  items: readonly (readonly [string, string])[],
  id = 'w-1',
  more: Partial<AgentEnd> = {},
): void {
  const events = items.map(([topic, payload], i) => dispatchLine(id, i, items.length, topic, payload))
  const n = r.running().at(-1) ?? 0
  r.happen(
    { type: 'events.read', events, bad: [], offset: 1, final: false },
    { type: 'agent.ended', n, end: { ...CLEAN, ...more } },
  )
}

/** The wave that aggregators see, once it is merged. */
export function mergedWave(r: Rig, id = 'w-1') {
  const wave = r.all('merge-wave').find((action) => action.wave.id === id)?.wave
  if (wave === undefined) throw new Error(`wave ${id} was not merged`)
  return wave
}

export function text(blob: Blob): string {
  return 'inline' in blob ? blob.inline : blob.path
}
