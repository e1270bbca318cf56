import type { Blob } from '../../core/blob.ts'
import { isControl } from '../../core/control.ts'
import type { Event } from '../../core/event.ts'
import type { HatId } from '../../core/hat.ts'
import type { Action } from '../../core/run/action.ts'
import { failureOf } from '../../core/run/assess.ts'
import { controlTopics } from '../../core/run/control-topics.ts'
import type { Fact } from '../../core/run/fact.ts'
import { spentBudget } from '../../core/run/limits.ts'
import type { State, StopReason } from '../../core/run/state.ts'
import { isComplete } from '../../core/wave/gate.ts'
import { mayPublish } from '../../core/wave/guard.ts'
import type { WavePlan } from '../../core/wave/plan.ts'
import type { Wave, Work } from '../../core/wave/wave.ts'
import { type Agent, type Disk, type SimWorld, Violation } from './world.ts'

/**
 * Holds a run to its word, from outside: it sees what is permitted and what is journalled, and compares both with what the
 * simulated agents really did. Lives through all invocations of a run.
 */
export interface Audit {
  /** Something was permitted, and is about to happen. */
  started(action: Action, state: State, world: SimWorld): void
  /** Facts became durable, and are about to be believed. */
  journalled(facts: readonly Fact[], state: State): void
  /** Nothing more is permitted until something happens. */
  quiet(state: State, world: SimWorld): void
  /** An invocation ended in order. */
  ended(state: State, reason: StopReason): void
  /** The run is over for good. */
  closed(state: State): void
}

type Redriven = Extract<Fact, { type: 'wave.redriven' }>

/** All hats are played by one program, and none has instructions. */
function askedBy(hat: HatId, payload: Blob): string {
  return `${hat} ${'inline' in payload ? payload.inline : payload.sha256}`
}

export function createAudit(disk: Disk): Audit {
  /** Items that gave a result, or failed for good, and how. */
  const settled = new Map<string, string>()
  /** Payloads that some prompt has shown, or that became items. */
  const shown = new Set<string>()
  const merged = new Map<string, readonly Work[]>()
  /** Waves that the facts at hand merge. */
  const batch = new Set<string>()
  const closed = new Set<number>()
  const excused = new Set<string>()
  const activations = new Map<HatId, number>()
  const hatOfWork = new Map<string, HatId>()
  /** The agent that an intended fact stands for. */
  let cost = 0
  let tokens = 0
  let agents = 0
  const reported = new Set<number>()
  /** The run has reached its end, whether it has said so or not. */
  let isDecided = false
  /** Waves that were dispatched beside a cancellation. */
  const withdrawn = new Set<string>()
  /** Some invocation dropped what hats may not publish. */
  let isScoped = false
  const intended = new Map<number, string>()
  /** Results that later stages of a chain that runs again need not pay: how many, by what was asked. */
  const inReach = new Map<string, number>()
  /** Agents on the last attempt of their items. */
  const lastOnes = new Set<number>()
  /** Items whose agents could not be started for now, by the last facts. */
  const refused: Pick<Work, 'wave' | 'index'>[] = []
  let lastStart: { readonly world: SimWorld; readonly mono: number } | null = null

  function startAgent(action: StartAgent, state: State, world: SimWorld): void {
    const { n, work, brief } = action
    const { features } = state.rules
    expect(n === disk.agents.size + 1 || intended.has(n), `agent ${n} is started out of turn`)
    expect(!disk.agents.has(n), `agent ${n} is started twice`)
    expect(agents <= features.maxAgents, `agent ${n} is started, but max_agents is ${features.maxAgents}`)
    const mates = [...world.alive].filter((one) => one.wave !== null)
    checkDistance(n, state, world)
    if (brief.kind === 'iteration') {
      expect(world.alive.size === 0, `iteration ${work.id} begins beside ${world.alive.size} agents`)
      const letters = brief.iteration.letters.map((letter) => letter.n)
      expect(isAscending(letters), `iteration ${work.id} shows its letters out of order: ${letters}`)
      for (const pending of brief.pending) {
        if (pending.kind === 'event') show(pending.event)
        else showWave(pending.wave)
      }
      return
    }
    expect(!settled.has(work.id), `item ${work.id} runs again, though it is settled: ${settled.get(work.id)}`)
    expect(world.alive.size < features.maxConcurrency, `${work.id} starts above max_concurrency`)
    expect(mates.length === world.alive.size, `${work.id} starts beside an iteration`)
    checkPressure(action, state, world)
    for (const one of disk.agents.values())
      expect(
        one.work !== work.id || acceptable(one, state).length === 0,
        `${work.id} runs again, though agent ${one.n} gave a result`,
      )
    const ofHat = mates.filter((one) => one.wave === work.wave && one.hat === work.hat)
    const wave = state.waves.get(work.wave ?? '')
    const places = wave?.hats[work.hat]?.concurrency ?? 0
    expect(ofHat.length < places, `${work.id} starts above the concurrency of ${work.hat}`)
    expect(!mates.some((one) => one.work === work.id), `${work.id} starts beside itself`)
    const passed = wave?.works.find(
      (one) => isFreshAndWaiting(one) && one.hat === work.hat && one.index < work.index,
    )
    expect(passed === undefined || work.attempts > 1, `${work.id} starts before ${passed?.id}`)
    show({ payload: work.payload })
  }

  /** While a provider pushes back: no more than it serves and one that tries, and a last attempt alone. */
  function checkPressure({ n, work }: StartAgent, state: State, world: SimWorld): void {
    const pressure = state.throttle.get(backendName(state))
    if (pressure === undefined) return
    const { mono } = world.clock.now()
    const mates = [...world.alive]
    expect(mono >= pressure.heldUntil, `${work.id} starts though the provider serves nobody`)
    const isProbe = pressure.probe === n
    expect(
      mates.length < pressure.limit + (pressure.probe === null ? 0 : 1),
      `${work.id} starts beside ${mates.length}, though the provider serves ${pressure.limit}`,
    )
    expect(!isProbe || mono >= pressure.probeAt, `${work.id} probes too soon`)
    for (const mate of mates)
      expect(!lastOnes.has(mate.n), `${work.id} starts beside the last attempt of ${mate.work}`)
    if (!isLast(state, work, work.attempts - 1)) return
    expect(mates.length === 0, `${work.id} has its last attempt beside ${mates.length} others`)
    lastOnes.add(n)
  }

  /** Agents of one backend keep their distance, within an invocation. */
  function checkDistance(n: number, state: State, world: SimWorld): void {
    const { mono } = world.clock.now()
    const gap = state.rules.backends['']?.startGapMs ?? 0
    if (lastStart !== null && lastStart.world === world)
      expect(
        mono - lastStart.mono >= gap,
        `agent ${n} starts ${mono - lastStart.mono} ms after the last one, and not ${gap}`,
      )
    lastStart = { world, mono }
  }

  function show({ payload }: Pick<Event, 'payload'>): void {
    if ('inline' in payload) shown.add(payload.inline)
  }

  function showWave(wave: Wave): void {
    const order = wave.works.map((work) => work.index)
    expect(isAscending(order), `wave ${wave.id} is shown out of order: ${order}`)
    for (const work of wave.works) {
      expect(work.status === 'settled', `wave ${wave.id} is shown before ${work.id} is settled`)
      for (const event of work.outcome?.events ?? []) show(event)
    }
  }

  function takePlan(plan: WavePlan): void {
    expect(!withdrawn.has(plan.id), `wave ${plan.id} opens, though it was cancelled`)
    for (const item of plan.items) {
      hatOfWork.set(`${plan.id}/${item.index}`, item.hat)
      if (item.barred !== undefined) excuse(item.event)
      else if (item.carried === undefined) show(item.event)
    }
  }

  function excuse({ payload }: Event): void {
    if ('inline' in payload) excused.add(payload.inline)
  }

  /** Where the repetition of a cut iteration hands work out, that is all that is handed out. */
  function excuseReplaced(state: State, read: readonly Event[]): void {
    const { loop, knownWaves, topology } = state
    if (loop === null || loop.cutFrom === null || !['reading', 'quoting'].includes(loop.phase.at)) return
    const { inherited, cutFrom } = loop
    const fansOut = ({ wave, waveStatus, topic }: Event): boolean => {
      if (isControl(controlTopics(state), topic)) return false
      if (wave === undefined) return (topology.receiver(topic)?.concurrency ?? 1) > 1
      return waveStatus === undefined && (wave.total !== undefined || !knownWaves.has(wave.id))
    }
    const lines = [...loop.backlog, ...read]
    if (!lines.slice(inherited).some(fansOut)) return
    for (const event of lines.slice(0, inherited)) {
      if (fansOut(event) && Number(event.agent?.split(':')[1]) >= cutFrom) excuse(event)
    }
  }

  /** An item that the machine let not start was not active, unless it failed for that. */
  function takeBack({ waves }: State): void {
    for (const { wave, index } of refused.splice(0)) {
      // Looked for anew: after a crash the run goes on with another state.
      const work = waves.get(wave ?? '')?.byIndex.get(index)
      if (work?.attempts === 0) grow(work.hat, -1)
    }
  }

  function believe(fact: Fact, state: State): void {
    switch (fact.type) {
      case 'run.ended':
        if (fact.reason === 'cancelled') withdraw(state)
        break
      case 'loop.resumed':
        if (fact.objective !== null) forgetCancellation(state)
        break
      case 'agent.intended': {
        agents += 1
        expect(fact.n === agents, `agent ${fact.n} is the ${agents}th`)
        intended.set(fact.n, fact.work)
        const hat = hatOfWork.get(fact.work)
        if (hat !== undefined && fact.attempt === 1) grow(hat)
        break
      }
      case 'agent.ended': {
        if (reported.has(fact.n)) break
        reported.add(fact.n)
        const price = state.rules.backends['']?.price
        const { usage, costUsd } = fact.end
        if (costUsd !== null) cost += costUsd
        else if (usage !== null && price !== undefined)
          cost +=
            ((usage.input - usage.cacheRead) * price.input +
              usage.cacheRead * price.cachedInput +
              usage.output * price.output) /
            1_000_000
        if (usage !== null) tokens += usage.input + usage.output
        if (fact.end.shortage === true) refused.push(...[state.workers.get(fact.n) ?? []].flat())
        break
      }
      case 'iteration.closed': {
        const { current, phase } = state.loop ?? {}
        // Told twice: the second time it is no news.
        if (!current || phase?.at !== 'closing' || closed.has(fact.iteration)) break
        closed.add(fact.iteration)
        inReach.clear()
        if (failureOf(current) === null) for (const hat of current.hats) grow(hat)
        break
      }
      case 'events.read':
        if (fact.final) excuseReplaced(state, fact.events)
        break
      case 'dispatches.resolved': {
        for (const plan of fact.resolution.plans) takePlan(plan)
        const { loop } = state
        const ids = new Set(fact.resolution.plans.map((plan) => plan.id))
        for (const dispatch of loop?.dispatches ?? []) {
          if (ids.has(dispatch.id)) continue
          if (fact.resolution.refusals.some((text) => text.includes(dispatch.id.slice(0, 128))))
            for (const event of dispatch.items.values()) excuse(event)
          for (const event of dispatch.items.values())
            if (fact.resolution.violations.includes(event.topic)) excuse(event)
        }
        break
      }
      case 'stage.opened':
        takePlan(fact.plan)
        checkReuse(fact.plan)
        break
      case 'wave.opened':
        takePlan(fact.plan)
        break
      case 'wave.redriven':
        forgetCancellation(state)
        takePlan(fact.plan)
        checkRedriven(fact)
        break
      case 'wave.merged': {
        const wave = state.waves.get(fact.wave)
        if (wave !== undefined && !batch.has(wave.id)) checkMerge(wave, state)
        batch.add(fact.wave)
        break
      }
      default:
        break
    }
  }

  /** What a wave that runs again takes over is what came of it; results of what followed it are not paid again. */
  function checkRedriven({ of, plan, later }: Redriven): void {
    const works = merged.get(of) ?? []
    expect(works.length === plan.items.length, `${plan.id} has ${plan.items.length} items of ${works.length}`)
    for (const { index, adopted, carried } of plan.items) {
      const outcome = works.find((work) => work.index === index)?.outcome
      const kept = adopted?.outcome ?? carried
      const same = kept === undefined || JSON.stringify(kept) === JSON.stringify(outcome)
      expect(
        same,
        `${plan.id}/${index} takes over ${kept?.status}, and ${of}/${index} was ${outcome?.status}`,
      )
    }
    inReach.clear()
    for (const [, { outcome, from }] of later) {
      const work = merged.get(from.wave)?.find((one) => one.index === from.index)
      const asked = work && askedBy(work.hat, work.payload)
      if (outcome.class === 'result' && asked !== undefined) inReach.set(asked, (inReach.get(asked) ?? 0) + 1)
    }
  }

  /** No item of a later stage runs that asks the same as one that has its result. */
  function checkReuse({ id, items }: WavePlan): void {
    const there = new Map(inReach)
    for (const { hat, event, adopted, carried } of items) {
      if (carried !== undefined) continue
      const asked = askedBy(hat, event.payload)
      const left = there.get(asked) ?? 0
      there.set(asked, left - 1)
      expect(
        (adopted !== undefined) === left > 0,
        `an item of ${id} is ${adopted ? 'taken over' : 'paid'} wrongly`,
      )
    }
  }

  /** A person goes on all the same; the run may have been cut before it could end. */
  function forgetCancellation(state: State): void {
    if (state.loop?.cancelled) withdraw(state)
    isDecided = false
  }

  /** What was said beside a cancellation is not taken up. */
  function withdraw(state: State): void {
    for (const line of disk.main) {
      if (line.kind !== 'event') continue
      excuse(line.event)
      if (line.event.wave !== undefined && !state.knownWaves.has(line.event.wave.id))
        withdrawn.add(line.event.wave.id)
    }
  }

  function grow(hat: HatId, by = 1): void {
    activations.set(hat, (activations.get(hat) ?? 0) + by)
  }

  function checkMerge(wave: Wave, state: State): void {
    expect(!merged.has(wave.id), `wave ${wave.id} is merged twice`)
    merged.set(wave.id, wave.works)
    const lines = disk.main.flatMap((line) =>
      line.kind === 'merged' && line.event.wave?.id === wave.id ? [line.event] : [],
    )
    for (const work of wave.works) {
      const { outcome } = work
      expect(
        work.status === 'settled' && outcome !== null && outcome.class !== 'withdrawn',
        `wave ${wave.id} is merged, but ${work.id} is ${work.status}`,
      )
      if (outcome === null) continue
      if (!wave.carried.has(work.index))
        expect(
          disk.outcomes.has(work.id),
          `wave ${wave.id} is merged, but the outcome of ${work.id} is not on disk`,
        )
      const own = lines.filter(
        (line) => line.wave?.index === work.index && line.topic !== 'wave.worker.failed',
      )
      const results = outcome.class === 'result' ? outcome.events.map(textOf) : []
      const there = own.map((line) => line.payload).filter((text) => !text.startsWith('## Worker'))
      expect(
        results.join('\n') === there.join('\n'),
        `the results of ${work.id} are ${results}, and the main file has ${there}`,
      )
      if (!wave.carried.has(work.index)) checkTruth(work, state)
    }
  }

  /** What the last agent of an item wrote is its result, whole. */
  function checkTruth(work: Work, state: State): void {
    const agent = disk.agents.get(work.agent)
    if (agent === undefined || work.outcome === null) return
    const allowed = acceptable(agent, state).map(textOf)
    if (allowed.length === 0) return
    const results = work.outcome.events.map(textOf)
    expect(
      work.outcome.class === 'result' && allowed.every((text) => results.includes(text)),
      `${work.id} wrote ${allowed}, and its outcome is ${work.outcome.status} with ${results}`,
    )
  }

  return {
    started(action, state, world) {
      if (action.kind === 'start-agent') startAgent(action, state, world)
      if (action.kind === 'begin-iteration') {
        expect(!isDecided, `iteration ${action.iteration} begins, though the run was completed or cancelled`)
        const elapsed = world.clock.now().mono - state.beganMono
        expect(
          elapsed <= state.rules.eventLoop.maxRuntimeSeconds * 1000 + 200,
          `iteration ${action.iteration} begins after ${elapsed} ms, above max_runtime`,
        )
      }
      if (action.kind === 'set-timer' && action.timer.kind === 'phase')
        expect(!isDecided, 'the run waits, though it was completed or cancelled')
      if (action.kind === 'end')
        expect(world.alive.size === 0, `the run ends ${action.reason} with ${world.alive.size} agents alive`)
    },
    journalled(facts, state) {
      noteSettled(state)
      batch.clear()
      isScoped ||= state.rules.eventLoop.enforceHatScope
      takeBack(state)
      for (const fact of facts) believe(fact, state)
    },
    quiet(state, world) {
      noteSettled(state)
      checkCaps(state)
      checkBusy(state, world)
      checkSums(state)
    },
    ended(state, reason) {
      noteSettled(state)
      expect(state.ended === reason, `the run ended ${reason}, and its state says ${state.ended}`)
      expect(state.running.size === 0, `the run ended with ${state.running.size} agents`)
      if (reason === 'completed' || reason === 'cancelled')
        // A wave from the shell is never merged.
        for (const wave of state.waves.values())
          expect(state.loop === null && isComplete(wave), `the run ended ${reason} with an open wave`)
      checkSums(state)
    },
    closed(state) {
      checkLoss(state)
    },
  }

  function noteSettled(state: State): void {
    const { loop } = state
    if (loop !== null && (loop.completion !== null || loop.cancelled)) isDecided = true
    for (const wave of state.waves.values()) {
      for (const work of wave.works) {
        if (work.status !== 'settled') continue
        const before = settled.get(work.id)
        if (before === undefined)
          settled.set(work.id, `${work.outcome?.status} ${work.outcome?.events.map(textOf)}`)
      }
      const counted = wave.works.filter((work) => work.status === 'settled').length
      expect(
        counted === wave.settled,
        `wave ${wave.id} counts ${wave.settled} settled items, and has ${counted}`,
      )
    }
  }

  function checkCaps(state: State): void {
    expect(
      state.running.size <= Math.max(1, state.rules.features.maxConcurrency),
      `${state.running.size} agents run at once`,
    )
    for (const [hat, count] of state.activations) {
      const limit = state.topology.hat(hat)?.maxActivations ?? Infinity
      expect(count <= limit, `${hat} has ${count} activations of ${limit}`)
    }
  }

  /** A free place is filled at once, and nothing waits for nothing. */
  function checkBusy(state: State, world: SimWorld): void {
    const { loop, rules, totals } = state
    if (state.stop !== null || spentBudget(state) !== null) return
    const held = heldBack(state, world.clock.now().mono)
    const isFull =
      held !== null ||
      state.room.held ||
      state.running.size >= Math.min(rules.features.maxConcurrency, state.room.limit ?? Infinity) ||
      totals.agentsStarted >= rules.features.maxAgents
    for (const wave of state.waves.values()) {
      for (const work of wave.works) {
        if (work.status === 'queued' && held === 'time' && state.running.size === 0 && !state.room.held)
          expect(isToWake(state), `${work.id} is held back for a while, and nothing will wake the run`)
        if (work.status !== 'queued' || isFull || waitsToBeAlone(state, wave, work)) continue
        const active = [...world.alive].filter((one) => one.wave === wave.id && one.hat === work.hat).length
        expect(
          active >= (wave.hats[work.hat]?.concurrency ?? 1),
          `${work.id} waits, though there is a place for it`,
        )
      }
    }
    if (loop?.phase.at === 'acting') expect(state.running.size === 1, 'an iteration acts without an agent')
  }

  function checkSums(state: State): void {
    const { totals } = state
    expect(Math.abs(totals.costUsd - cost) < 1e-6, `cost is ${totals.costUsd}, and the agents spent ${cost}`)
    const counted = totals.inputTokens + totals.outputTokens
    expect(counted === tokens, `tokens are ${counted}, and the agents used ${tokens}`)
    expect(totals.agentsStarted === agents, `${totals.agentsStarted} agents are counted of ${agents}`)
    takeBack(state)
    for (const hat of new Set([...activations.keys(), ...state.activations.keys()])) {
      const is = state.activations.get(hat) ?? 0
      const should = activations.get(hat) ?? 0
      expect(is === should, `${hat} has ${is} activations, and was active ${should} times`)
    }
  }

  /** Whatever an agent said was shown to somebody, still waits, or was refused aloud. */
  function checkLoss(state: State): void {
    const { loop } = state
    if (loop === null || loop.cancelled || state.exhausted.size > 0) return
    const there = new Set([...shown, ...excused])
    const add = (event: Event): void => {
      there.add(textOf(event))
    }
    const addWave = (id: string): void => {
      for (const work of (state.merged.get(id) ?? state.waves.get(id))?.works ?? [])
        for (const event of work.outcome?.events ?? []) add(event)
    }
    const inboxes = [...loop.inboxes.values()].flat()
    for (const letter of [...inboxes, ...(loop.current?.letters ?? [])]) {
      if (letter.kind === 'event') add(letter.event)
      else addWave(letter.wave)
    }
    for (const id of loop.continuations) addWave(id)
    for (const wave of state.waves.values()) for (const id of [wave.id, ...wave.chain.waiting]) addWave(id)
    for (const event of loop.backlog) add(event)
    for (const dispatch of loop.dispatches) for (const event of dispatch.items.values()) add(event)
    const control = controlTopics(state)

    if (!isScoped) {
      for (const line of disk.main.slice(0, loop.readOffset)) {
        if (line.kind !== 'event' || isControl(control, line.event.topic)) continue
        const agent = disk.agents.get(line.n)
        if (agent?.wave !== null) continue
        // It passes for a late line of a worker, which is dropped aloud where its hat may not say that.
        const tag = line.event.wave
        if (tag !== undefined && tag.total === undefined && state.knownWaves.has(tag.id)) continue
        expect(there.has(textOf(line.event)), `the event ${line.event.topic} ${textOf(line.event)} is lost`)
      }
    }
    for (const [id, works] of merged) {
      for (const work of works) {
        if (work.outcome?.class !== 'result') continue
        for (const event of work.outcome.events)
          expect(there.has(textOf(event)), `the result ${textOf(event)} of ${work.id} in ${id} is lost`)
      }
    }
  }
}

type StartAgent = Extract<Action, { kind: 'start-agent' }>

function backendName(state: State): string {
  return state.rules.backends['']?.name ?? ''
}

/** Why no agent may start now though there are places; null: one may. */
function heldBack(state: State, mono: number): 'time' | 'count' | null {
  const pressure = state.throttle.get(backendName(state))
  if (mono < (state.paces.get(backendName(state))?.notBefore ?? 0)) return 'time'
  if (pressure === undefined) return null
  if (mono < pressure.heldUntil) return 'time'
  for (const { work } of state.running.values()) if (isLast(state, work, work.attempts - 1)) return 'count'
  if (state.running.size < pressure.limit) return null
  if (pressure.probe !== null || state.running.size > pressure.limit) return 'count'
  return mono < pressure.probeAt ? 'time' : null
}

function isToWake(state: State): boolean {
  return (state.paces.get(backendName(state))?.wakeAt ?? null) !== null
}

/** While a provider pushes back, an item's last attempt waits until no other agent runs, and those behind it with it. */
function waitsToBeAlone(state: State, wave: Wave, work: Work): boolean {
  const queue = wave.queues.get(work.hat)
  const head = queue?.items[queue.head]
  const isPressed = state.throttle.has(backendName(state))
  return isPressed && state.running.size > 0 && head !== undefined && isLast(state, head, head.attempts)
}

/** The attempt after `begun` others is the item's last. */
function isLast(state: State, work: Work, begun: number): boolean {
  const hat = work.wave === null ? undefined : state.waves.get(work.wave)?.hats[work.hat]
  const most = hat?.retry?.attempts ?? state.rules.features.retry.attempts
  return hat !== undefined && begun > 0 && begun + 1 >= most
}

/** What counts of an agent's own file: what it wrote itself, and not what an earlier attempt had left behind to write. */
function acceptable({ n, plays, sealed }: Agent, state: State): readonly Event[] {
  if (plays === null || sealed === null) return []
  const control = controlTopics(state)
  return sealed.filter(
    (event) =>
      event.wave?.total === undefined &&
      textOf(event).startsWith(`${n}.`) &&
      mayPublish(plays, control, event.topic),
  )
}

function isFreshAndWaiting(work: Work): boolean {
  return work.status === 'queued' && work.attempts === 0 && work.outcome === null
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, i) => i === 0 || number > (numbers[i - 1] ?? number))
}

function textOf({ payload }: Event): string {
  return 'inline' in payload ? payload.inline : payload.path
}

function expect(holds: boolean, text: string): void {
  if (!holds) throw new Violation(text)
}
