import type { AgentEnd } from '../../core/agent/end.ts'
import { inline } from '../../core/blob.ts'
import { absorb } from '../../core/run/absorb.ts'
import type { Action } from '../../core/run/action.ts'
import { createState } from '../../core/run/create.ts'
import { decide } from '../../core/run/decide.ts'
import type { FactBody } from '../../core/run/fact.ts'
import { intended } from '../../core/run/intended.ts'
import type { State } from '../../core/run/state.ts'
import { createTopology } from '../../core/topology.ts'
import { CLEAN, FEATURES, hat, LOOP } from '../core/run/rig.ts'
import type { Bench } from './bench.ts'
import { ratio, type Sample, sampleOf } from './measure.ts'
import type { Row } from './report.ts'

const FEW = 100

/** What a fact costs, its decision included, while few and while many items are queued. The opening of a wave is not counted. */
export const foldCost: Bench = {
  id: 'fold',
  about: 'what a fact costs',
  async run(_, scale) {
    const [many, times] = scale === 'full' ? [10_000, 9] : [2000, 1]
    const few: number[] = []
    const all: number[] = []
    for (let round = 0; round < times; round++) {
      few.push(perFact(FEW, many / FEW))
      all.push(perFact(many, 1))
    }
    const row = (items: number, sample: Sample): Row => ({
      what: `fold  a fact, ${items} items queued`,
      sample,
      unit: 'µs',
    })
    const share = ratio(sampleOf(all), sampleOf(few))
    return [
      row(FEW, sampleOf(few)),
      row(many, sampleOf(all)),
      {
        what: `fold  ${many} queued : ${FEW} queued`,
        sample: share,
        unit: '×',
        aim: { says: '≤ 1.5', met: share.median <= 1.5 },
      },
    ]
  },
}

/** Microseconds a fact, over several waves. */
function perFact(items: number, waves: number): number {
  const states = Array.from({ length: waves }, () => openWave(items))
  Bun.gc(true)
  let facts = 0
  const began = performance.now()
  for (const state of states) facts += foldWave(state)
  return (1000 * (performance.now() - began)) / facts
}

/** Runs a wave whose agents answer at once to its end. Gives the number of facts. */
function foldWave(state: State): number {
  let facts = 0
  while (true) {
    const actions = decide(state, NOW)
    facts += fold(state, actions.map(intended))
    if (actions.some((action) => action.kind === 'end')) break
    facts += fold(state, actions.flatMap(answers))
  }
  const [wave] = state.waves.values()
  if (wave === undefined || wave.settled < wave.total) throw new Error('the wave ended before its items did')
  return facts
}

function openWave(items: number): State {
  const state = createState({
    run: {
      id: 'wave-1',
      workspace: '/w',
      dir: '/s',
      eventsFile: '',
      pid: 1,
      startedAt: 0,
      startedMono: 0,
    },
    rules: {
      eventLoop: LOOP,
      features: { ...FEATURES, maxAgents: 2 * items },
      backends: { '': { name: 'custom', output: 'text', contextWindow: 0, inactivitySeconds: 900 } },
    },
    topology: createTopology([]),
    loop: false,
  })
  const plan = {
    id: 'w-1',
    inferred: false,
    hats: { '': hat('', [], [], { concurrency: 8 }) },
    aggregators: [],
    total: items,
    items: Array.from({ length: items }, (_, index) => ({
      index,
      hat: '',
      event: { topic: 'item', payload: inline(`item ${index}`) },
    })),
    timeouts: { '': 300 },
    deadlineSeconds: null,
    shell: { template: null },
  }
  fold(state, [{ type: 'wave.opened', plan }])
  return state
}

function fold(state: State, bodies: readonly FactBody[]): number {
  for (const body of bodies) absorb(state, { ...body, at: NOW.wall, mono: NOW.mono })
  return bodies.length
}

/** Each agent starts, emits one event and ends. */
function answers(action: Action): readonly FactBody[] {
  if (action.kind !== 'start-agent') return []
  const { n } = action
  const event = { topic: 'item.done', payload: inline('done') }
  return [
    { type: 'agent.started', n, pid: n, startTime: '1', bootId: 'b' },
    { type: 'worker.read', n, events: [event], bad: [] },
    { type: 'agent.ended', n, end: END },
  ]
}

const NOW = { wall: 1, mono: 1 }
const END: AgentEnd = { ...CLEAN, usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, context: 10 } }
