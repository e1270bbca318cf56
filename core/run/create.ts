import type { Topology } from '../topology.ts'
import { createRoom } from '../wave/room.ts'
import type { Counters, Loop } from './loop.ts'
import type { Rules, RunInfo, State, Totals } from './state.ts'

/** The state of a run before its first fact: with a loop for `ralph run`, without one for `ralph wave run`. */
export function createState(of: { run: RunInfo; rules: Rules; topology: Topology; loop: boolean }): State {
  return {
    run: of.run,
    rules: of.rules,
    topology: of.topology,
    loop: of.loop ? createLoop() : null,
    waves: new Map(),
    knownWaves: new Set(),
    merged: new Map(),
    adoptable: new Map(),
    found: new Set(),
    lost: null,
    pastLost: new Set(),
    running: new Map(),
    workers: new Map(),
    workerAgents: new Set(),
    throttle: new Map(),
    paces: new Map(),
    room: createRoom(),
    due: [],
    totals: createTotals(),
    activations: new Map(),
    exhausted: new Set(),
    earlierMs: 0,
    beganMono: 0,
    pastMs: 0,
    lastMono: 0,
    runtimeArmed: false,
    runtimeUp: false,
    stop: null,
    ended: null,
    news: [],
  }
}

function createLoop(): Loop {
  return {
    objective: { inline: '' },
    iteration: 0,
    iterationsHere: 0,
    phase: { at: 'ready' },
    inboxes: new Map(),
    pending: 0,
    nextLetter: 1,
    current: null,
    seenTopics: new Set(),
    guidance: [],
    unnoted: [],
    humanNotes: [],
    counters: createCounters(),
    lastFailure: null,
    held: null,
    completion: null,
    cancelled: false,
    dispatches: [],
    continuations: [],
    backlog: [],
    badBacklog: [],
    inherited: 0,
    cutFrom: null,
    inferred: 0,
    readOffset: 0,
  }
}

function createTotals(): Totals {
  return { agentsStarted: 0, costUsd: 0, costSource: null, inputTokens: 0, outputTokens: 0, unknownCosts: 0 }
}

/** Counters of failures, silence and repetition; a resumed run begins with fresh ones. */
export function createCounters(): Counters {
  return {
    failures: 0,
    silent: 0,
    defaults: 0,
    validation: 0,
    stale: 0,
    lastPlain: null,
    rejections: 0,
    lastRejection: null,
    backoffs: 0,
  }
}
