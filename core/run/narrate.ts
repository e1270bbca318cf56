import type { ReadBlob } from '../blob.ts'
import { PREVIEW, type RunEvent } from '../run-event.ts'
import { completionReason, countStatuses, neverStarted, places, received } from '../wave/gate.ts'
import type { WavePlan } from '../wave/plan.ts'
import type { Wave } from '../wave/wave.ts'
import { failureOf } from './assess.ts'
import { backendOf } from './backends.ts'
import type { Fact } from './fact.ts'
import { COORDINATOR } from './inbox.ts'
import type { Iteration, Loop } from './loop.ts'
import type { News, Now, State } from './state.ts'
import { exitCode } from './stop.ts'

/** The loop's name where no hat is active. */
const COORDINATOR_NAME = 'ralph'

/** What observers are told of a fact that was just absorbed. Pure. */
export function narrate(state: State, fact: Fact, read: ReadBlob): readonly RunEvent[] {
  return [...tellFact(state, fact, read), ...state.news.flatMap((news) => tellNews(state, news, fact, read))]
}

/** The name by which observers know a hat. */
export function displayName(state: State, hat: string): string {
  return hat === COORDINATOR ? COORDINATOR_NAME : (state.topology.hat(hat)?.name ?? hat)
}

function tellFact(state: State, fact: Fact, read: ReadBlob): readonly RunEvent[] {
  switch (fact.type) {
    case 'loop.opened':
      return [tellStarted(state, { at: fact.at, continued: false, prompt: read(fact.objective) })]
    case 'loop.resumed': {
      const objective = state.loop?.objective
      return objective === undefined
        ? []
        : [tellStarted(state, { at: fact.at, continued: true, prompt: read(objective) })]
    }
    case 'iteration.begun':
      return tellIteration(state)
    case 'agent.intended':
      return tellWorker(state, fact.n)
    case 'worker.read':
      return tellWorkerEvents(state, fact)
    case 'dispatches.resolved':
      return fact.resolution.plans.map(tellWaveStarted)
    case 'stage.opened':
    case 'wave.opened':
    case 'wave.redriven':
      return [tellWaveStarted(fact.plan)]
    case 'wave.merged': {
      const wave = state.merged.get(fact.wave)
      return wave === undefined ? [] : [tellWaveCompleted(wave)]
    }
    case 'iteration.closed':
      return tellIterationEnd(state, { wall: fact.at, mono: fact.mono })
    case 'run.ended':
      return tellEnd(state, fact, read)
    default:
      return []
  }
}

function tellStarted(state: State, of: { at: number; continued: boolean; prompt: string }): RunEvent {
  return {
    type: 'loop_started',
    prompt: of.prompt,
    max_iterations: state.rules.eventLoop.maxIterations,
    backend: state.rules.backends[COORDINATOR]?.name ?? '',
    workspace_root: state.run.workspace,
    started_at: of.at,
    run_id: state.run.id,
    continued: of.continued,
  }
}

function tellIteration(state: State): readonly RunEvent[] {
  const iteration = state.loop?.current
  if (!iteration) return []
  const [first = COORDINATOR] = iteration.hats
  return [
    {
      type: 'iteration_start',
      iteration: iteration.number,
      max_iterations: state.rules.eventLoop.maxIterations,
      hat: first === COORDINATOR ? COORDINATOR_NAME : first,
      hat_display: displayName(state, first),
      backend: backendOf(state, { hat: first })?.name ?? '',
      started_at: iteration.startedAt,
      hats: iteration.hats,
    },
  ]
}

function tellWorker(state: State, n: number): readonly RunEvent[] {
  const running = state.running.get(n)
  const wave = running?.work.wave ? state.waves.get(running.work.wave) : undefined
  if (running === undefined || wave === undefined) return []
  return [
    {
      type: 'wave_worker_started',
      wave_id: wave.id,
      index: running.work.index,
      total: places(wave),
      hat: running.work.hat,
      backend: running.backend,
      attempt: running.attempt,
    },
  ]
}

function tellWorkerEvents(state: State, fact: Extract<Fact, { type: 'worker.read' }>): readonly RunEvent[] {
  const work = state.workers.get(fact.n)
  const wave = work?.wave
  if (!work || !wave) return []
  return fact.events.map((event) => ({
    type: 'wave_worker_event',
    wave_id: wave,
    index: work.index,
    topic: event.topic,
  }))
}

function tellWaveStarted(plan: WavePlan): RunEvent {
  const hats = Object.values(plan.hats)
  const reused = plan.items.filter((item) => item.adopted !== undefined).length
  return {
    type: 'wave_started',
    hat_name: hats.map((hat) => hat.name).join(', '),
    worker_count: plan.total,
    timeout_secs: Math.max(0, ...Object.values(plan.timeouts)),
    wave_id: plan.id,
    hats: hats.map((hat) => hat.id),
    topics: [...new Set(plan.items.map((item) => item.event.topic))],
    deadline_secs: plan.deadlineSeconds,
    inferred: plan.inferred,
    concurrency: hats.reduce((sum, hat) => sum + hat.concurrency, 0),
    ...(reused === 0 ? {} : { reused }),
    ...(plan.redriveOf === undefined ? {} : { redrive_of: plan.redriveOf }),
  }
}

function tellWaveCompleted(wave: Wave): RunEvent {
  const succeeded = received(wave)
  return {
    type: 'wave_completed',
    succeeded,
    failed: wave.works.length - succeeded,
    duration_ms: wave.durationMs,
    wave_id: wave.id,
    timed_out: completionReason(wave) === 'timeout',
    statuses: countStatuses(wave),
    never_started: neverStarted(wave, 'deadline'),
    ...(wave.change === null ? {} : { workspace_changed: wave.change }),
  }
}

function tellIterationEnd(state: State, now: Now): readonly RunEvent[] {
  const iteration = state.loop?.current
  if (!state.loop || !iteration) return []
  return [iterationEnd(state, state.loop, iteration, now)]
}

/** The summary of an iteration: of its own agent, workers not included. */
export function iterationEnd(
  state: State,
  loop: Loop,
  iteration: Iteration,
  now: Now,
): Extract<RunEvent, { type: 'iteration_end' }> {
  const { usage, cost } = iteration.work
  const reason = failureOf(iteration)
  return {
    type: 'iteration_end',
    iteration: iteration.number,
    duration_ms: durationOf(state, iteration, now),
    cost_usd: 'usd' in cost ? cost.usd : null,
    input_tokens: usage?.input ?? null,
    output_tokens: usage?.output ?? null,
    cache_read_tokens: usage?.cacheRead ?? null,
    cache_write_tokens: usage?.cacheWrite ?? null,
    context_window:
      state.rules.eventLoop.contextWindowTokens ?? backendOf(state, iteration.work)?.contextWindow ?? 0,
    context_tokens: usage && usage.context > 0 ? usage.context : null,
    loop_complete_triggered: loop.completion !== null,
    success: reason === null,
    reason,
    cost_source: 'usd' in cost ? cost.source : null,
  }
}

/** By the clock that nobody sets; by the other one where an earlier invocation began the iteration. */
function durationOf({ run }: State, iteration: Iteration, { wall, mono }: Now): number {
  const isOwn = iteration.startedAt >= run.startedAt && mono >= iteration.startedMono
  return Math.max(0, Math.round(isOwn ? mono - iteration.startedMono : wall - iteration.startedAt))
}

function tellEnd(
  state: State,
  fact: Extract<Fact, { type: 'run.ended' }>,
  read: ReadBlob,
): readonly RunEvent[] {
  const { totals, loop } = state
  const completed = fact.reason === 'completed' && loop?.completion
  return [
    {
      type: 'loop_terminated',
      reason: fact.reason,
      total_iterations: loop?.iteration ?? 0,
      duration_ms: Math.round(fact.mono - state.run.startedMono),
      total_cost_usd: totals.costSource === null ? null : totals.costUsd,
      terminated_at: fact.at,
      exit_code: exitCode(fact.reason, state.stop?.signal),
      result: completed ? read(completed.payload) : null,
      cost_source: totals.costSource,
      agents_without_cost: totals.unknownCosts,
      open_waves: [...state.waves.values()].map((wave) => ({
        wave_id: wave.id,
        settled: wave.settled,
        total: wave.total,
      })),
      ...(state.stop?.message === undefined ? {} : { message: state.stop.message }),
      ...(state.stop?.trouble === undefined ? {} : { trouble: state.stop.trouble }),
    },
  ]
}

function tellNews(state: State, news: News, fact: Fact, read: ReadBlob): readonly RunEvent[] {
  const iteration = state.loop?.iteration ?? 0
  switch (news.kind) {
    case 'warning':
      return [{ type: 'error', iteration, code: news.code, message: news.text, recoverable: true }]
    case 'posted': {
      if (news.letter.kind !== 'event') return []
      const { event, from } = news.letter
      return [
        {
          type: 'orchestration_event',
          topic: event.topic,
          payload: read(event.payload),
          source: from === 'loop' ? 'loop' : (event.agent ?? 'agent'),
          target: news.hat === COORDINATOR ? COORDINATOR_NAME : news.hat,
        },
      ]
    }
    case 'backoff':
      return [
        {
          type: 'error',
          iteration,
          code: 'backoff',
          message: `${news.class}: the same work is tried again in ${Math.round(news.ms / 1000)} s`,
          recoverable: true,
          class: news.class,
          retry_at: fact.at + news.ms,
        },
      ]
    case 'retry':
      return [
        {
          type: 'error',
          iteration,
          code: 'retry',
          message: `${news.class}: tried again in ${Math.round(news.ms / 1000)} s`,
          recoverable: true,
          class: news.class,
          retry_at: fact.at + news.ms,
          wave_id: news.wave,
          wave_index: news.index,
          attempt: news.attempt,
          max_attempts: news.maxAttempts,
          payload_preview: read(news.payload).slice(0, PREVIEW),
        },
      ]
    case 'nudge':
      return [
        {
          type: 'error',
          iteration,
          code: 'nudge',
          message: 'ended without a result: it is asked once more',
          recoverable: true,
          wave_id: news.wave,
          wave_index: news.index,
          payload_preview: read(news.payload).slice(0, PREVIEW),
        },
      ]
  }
}
