import { describe, expect, test } from 'bun:test'
import { graphOf, rehearse } from './rehearsal.ts'

const CODE_ASSIST = `
  planner: build.start, queue.advance -> tasks.ready
  builder: tasks.ready, review.rejected, finalization.failed -> review.ready, build.blocked
  critic: review.ready -> review.passed, review.rejected
  finalizer: review.passed -> queue.advance, finalization.failed, LOOP_COMPLETE`

const COLLECTIONS: Record<string, [graph: string, start: string, completion: string, required: string]> = {
  'code-assist': [CODE_ASSIST, 'build.start', 'LOOP_COMPLETE', 'review.passed'],
  debug: [
    `investigator: debug.start, hypothesis.rejected, hypothesis.confirmed, fix.verified -> hypothesis.test, fix.propose, DEBUG_COMPLETE
     tester: hypothesis.test -> hypothesis.confirmed, hypothesis.rejected
     fixer: fix.propose, fix.failed -> fix.applied, fix.blocked
     verifier: fix.applied -> fix.verified, fix.failed`,
    'debug.start',
    'DEBUG_COMPLETE',
    'hypothesis.test hypothesis.confirmed fix.applied fix.verified',
  ],
  research: [
    `researcher: research.start, research.followup -> research.finding
     synthesizer: research.finding -> research.followup, RESEARCH_COMPLETE`,
    'research.start',
    'RESEARCH_COMPLETE',
    'research.finding',
  ],
  autoresearch: [
    `strategist: experiment.start, experiment.evaluated, experiment.blocked -> experiment.planned, LOOP_COMPLETE
     implementer: experiment.planned -> experiment.ready, experiment.blocked
     benchmarker: experiment.ready -> experiment.measured
     judge: experiment.measured -> experiment.scored
     evaluator: experiment.scored -> experiment.evaluated, LOOP_COMPLETE`,
    'experiment.start',
    'LOOP_COMPLETE',
    'experiment.scored experiment.evaluated',
  ],
  'pdd-to-code-assist': [
    `inquisitor: design.start, answer.proposed, design.rejected -> question.asked, requirements.complete
     architect: question.asked, requirements.complete -> answer.proposed, design.drafted
     design_critic: design.drafted -> design.approved, design.rejected
     explorer: design.approved -> context.ready
     planner: context.ready -> plan.ready
     task_writer: plan.ready, queue.advance -> tasks.ready
     builder: tasks.ready, review.rejected, finalization.failed, validation.failed -> review.ready, build.blocked
     critic: review.ready -> review.passed, review.rejected
     finalizer: review.passed -> queue.advance, implementation.ready, finalization.failed
     validator: implementation.ready -> validation.passed, validation.failed
     committer: validation.passed -> LOOP_COMPLETE`,
    'design.start',
    'LOOP_COMPLETE',
    'design.approved plan.ready tasks.ready implementation.ready validation.passed',
  ],
  'wave-review': [
    `coordinator: review.start -> review.perspective
     reviewer: review.perspective -> review.done; 3
     synthesizer: review.done -> review.complete; agg`,
    'review.start',
    'review.complete',
    'review.done',
  ],
  'a debate of hats that work one at a time': [
    `moderator: debate.start, case.made -> pro.go, con.go, DEBATE_COMPLETE; agg
     pro: pro.go -> case.made
     con: con.go -> case.made`,
    'debate.start',
    'DEBATE_COMPLETE',
    'case.made',
  ],
  'a chain of two waves': [
    `disp: work.start -> first.go
     first: first.go -> second.go; 3
     second: second.go -> all.done; 2
     agg: all.done -> LOOP_COMPLETE; agg`,
    'work.start',
    'LOOP_COMPLETE',
    'all.done',
  ],
}

describe('every collection ends completed, with all required events seen', () => {
  for (const [name, [graph, start, completion, required]] of Object.entries(COLLECTIONS))
    test(name, () => {
      const rehearsed = rehearse(graphOf(graph), start, completion, required.split(' '))
      expect(rehearsed.end).toBe('completed')
      expect(rehearsed.turns).toBeLessThan(40)
    })

  const ODD: Record<string, [graph: string, start: string, required?: string]> = {
    'two hats in a circle from which nothing leads out': ['a: a.go -> b.go\nb: b.go -> a.go', 'a.go'],
    'a hat that publishes nothing': ['a: a.go ->', 'a.go'],
    'a hat that only feeds itself': ['a: a.go -> a.go', 'a.go'],
    'a hat for every topic': ['a: * -> *', 'task.start'],
    'patterns on both sides': ['a: impl.* -> test.*\nb: test.* -> impl.done', 'impl.start'],
    'a start topic that nobody listens to': ['a: a.go -> a.done\nb: a.done -> b.done', 'task.start'],
    'hats that know nothing of each other': ['a: a.go -> a.done\nb: b.go -> b.done', 'task.start'],
    'workers whose first topic leads back': [
      'd: d.go, item.again -> item.go\nw: item.go -> item.again, item.done; 3\nagg: item.done -> LOOP_COMPLETE; agg',
      'd.go',
    ],
    'workers that could complete': ['d: d.go -> item.go\nw: item.go -> LOOP_COMPLETE; 3', 'd.go'],
    'a wave that the coordinator has to dispatch': [
      'w: item.go -> item.done; 3\nagg: item.done -> LOOP_COMPLETE; agg',
      'task.start',
    ],
    'a required topic that no hat knows': ['a: a.go -> LOOP_COMPLETE', 'a.go', 'audit.ok'],
    'a required topic on which nothing leads': ['a: a.go -> a.extra, LOOP_COMPLETE', 'a.go', 'a.extra'],
  }
  for (const [name, [graph, start, required]] of Object.entries(ODD))
    test(name, () => {
      const needed = required === undefined ? [] : [required]
      expect(rehearse(graphOf(graph), start, 'LOOP_COMPLETE', needed).end).toBe('completed')
    })

  test('five hundred graphs drawn by lot', () => {
    const ends = Array.from({ length: 500 }, (_, seed) => {
      const graph = randomGraph(seed + 1)
      return rehearse(graph, 't0', 'LOOP_COMPLETE').end === 'completed' ? null : { seed, graph }
    })
    expect(ends.filter((end) => end !== null)).toEqual([])
  })
})

test('every route between hats is taken before the run completes', () => {
  const { used } = rehearse(graphOf(CODE_ASSIST), 'build.start', 'LOOP_COMPLETE')
  for (const topic of ['queue.advance', 'review.rejected', 'finalization.failed', 'review.passed'])
    expect(used.get(topic) ?? 0).toBeGreaterThan(0)
})

test('a hat that completes the run is not asked twice where nothing else is left to see', () => {
  const { actors } = rehearse(graphOf('a: a.go -> b.go\nb: b.go -> LOOP_COMPLETE'), 'a.go', 'LOOP_COMPLETE')
  expect(actors).toEqual(['a', 'b'])
})

function randomGraph(seed: number): ReturnType<typeof graphOf> {
  let state = seed * 2654435761
  const below = (n: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * n)
  }
  const topics = 3 + below(8)
  const hats = 1 + below(5)
  const triggers = Array.from({ length: topics }, (_, i) => i)
  return Array.from({ length: hats }, (_, h) => {
    const publishes = Array.from({ length: below(4) }, () => `t${below(topics)}`)
    const aggregate = below(4) === 0
    return {
      id: `h${h}`,
      name: `h${h}`,
      triggers: triggers.filter((i) => i % (hats + 1) === h).map((i) => `t${i}`),
      publishes: [...publishes, ...(below(5) === 0 ? ['LOOP_COMPLETE'] : [])],
      concurrency: aggregate ? 1 : 1 + below(3),
      aggregate,
    }
  })
}
