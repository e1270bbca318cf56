import { describe, expect, test } from 'bun:test'
import { formatFault } from '../../core/config/fault.ts'
import { loadSettings } from '../../core/config/load.ts'
import type { Settings } from '../../core/config/settings.ts'
import type { Hat } from '../../core/hat.ts'
import { builtinPresets } from '../../presets/index.ts'
import { page } from '../docs/markdown.ts'

/**
 * What users of a preset may count on, in their `-c` and in their scripts: ids, topics, required events, and how many work
 * at once. `>` stands between triggers and what is published; `3x` is a concurrency, `gathers` an aggregator,
 * `most 4` a limit of activations.
 */
const INTERFACES: Readonly<Record<string, string>> = {
  'code-assist': `
    build.start > LOOP_COMPLETE after review.passed
    planner: build.start, queue.advance > tasks.ready
    builder: tasks.ready, review.rejected, finalization.failed > review.ready, build.blocked
    critic: review.ready > review.passed, review.rejected
    finalizer: review.passed > queue.advance, finalization.failed, LOOP_COMPLETE`,
  debug: `
    debug.start > DEBUG_COMPLETE after hypothesis.test, hypothesis.confirmed, fix.applied, fix.verified
    investigator: debug.start, hypothesis.rejected, hypothesis.confirmed, fix.verified > hypothesis.test, fix.propose, DEBUG_COMPLETE
    tester: hypothesis.test > hypothesis.confirmed, hypothesis.rejected
    fixer: fix.propose, fix.failed > fix.applied, fix.blocked
    verifier: fix.applied > fix.verified, fix.failed`,
  research: `
    research.start > RESEARCH_COMPLETE after research.finding
    researcher: research.start, research.followup > research.finding
    synthesizer: research.finding > research.followup, RESEARCH_COMPLETE`,
  review: `
    review.start > REVIEW_COMPLETE after review.section, analysis.complete
    reviewer: review.start, review.followup > review.section
    analyzer: review.section > analysis.complete
    closer: analysis.complete > review.followup, REVIEW_COMPLETE`,
  autoresearch: `
    experiment.start > LOOP_COMPLETE after experiment.scored, experiment.evaluated
    strategist: experiment.start, experiment.evaluated, experiment.blocked > experiment.planned, LOOP_COMPLETE
    implementer: experiment.planned > experiment.ready, experiment.blocked
    benchmarker: experiment.ready > experiment.measured
    judge: experiment.measured > experiment.scored
    evaluator: experiment.scored > experiment.evaluated, LOOP_COMPLETE`,
  'pdd-to-code-assist': `
    design.start > LOOP_COMPLETE after design.approved, plan.ready, tasks.ready, implementation.ready, validation.passed
    inquisitor: design.start, answer.proposed, design.rejected > question.asked, requirements.complete
    architect: question.asked, requirements.complete > answer.proposed, design.drafted
    design_critic: design.drafted > design.approved, design.rejected
    explorer: design.approved > context.ready
    planner: context.ready > plan.ready
    task_writer: plan.ready, queue.advance > tasks.ready
    builder: tasks.ready, review.rejected, finalization.failed, validation.failed > review.ready, build.blocked
    critic: review.ready > review.passed, review.rejected
    finalizer: review.passed > queue.advance, implementation.ready, finalization.failed
    validator: implementation.ready > validation.passed, validation.failed
    committer: validation.passed > LOOP_COMPLETE`,
  'wave-review': `
    review.start > review.complete
    coordinator: review.start > review.perspective
    reviewer: review.perspective > review.done; 3x, 600 s
    synthesizer: review.done > review.complete; default review.complete, gathers within 600 s`,
  'wave-research': `
    research.start > research.complete
    planner: research.start > research.question
    researcher: research.question > research.answer; 4x, 900 s
    synthesizer: research.answer > research.complete; gathers`,
  'wave-debate': `
    debate.start > debate.complete
    moderator: debate.start, debate.argument > debate.for, debate.against, debate.practice, debate.alternative, debate.closed; most 4, gathers
    advocate: debate.for > debate.argument; 600 s
    skeptic: debate.against > debate.argument; 600 s
    practitioner: debate.practice > debate.argument; 600 s
    outsider: debate.alternative > debate.argument; 600 s
    judge: debate.closed, moderator.exhausted > debate.complete`,
  'wave-debug': `
    debug.start > debug.complete
    investigator: debug.start, cause.unknown > hypothesis.test; most 3
    tester: hypothesis.test > hypothesis.tested; 4x, 900 s
    judge: hypothesis.tested > cause.unknown, cause.found; gathers
    fixer: cause.found, fix.failed > fix.applied, fix.blocked; most 4
    verifier: fix.applied > fix.failed, fix.verified
    reporter: fix.verified, fix.blocked, investigator.exhausted, fixer.exhausted > debug.complete`,
  'wave-review-and-document': `
    review.start > document.complete
    coordinator: review.start > review.perspective
    reviewer: review.perspective > review.done; 3x, 600 s
    decider: review.done > document.page, document.complete; gathers
    writer: document.page > page.done; 3x, 900 s
    editor: page.done > document.complete; gathers`,
  'hatless-baseline': `
    task.start > LOOP_COMPLETE`,
}

describe('the interface of a preset', () => {
  test('is written down for every preset', () => {
    expect(Object.keys(INTERFACES).sort()).toEqual(Object.keys(builtinPresets).sort())
  })

  test.each(Object.entries(INTERFACES))('%s', async (name, known) => {
    const lines = known.trim().split('\n')
    expect(interfaceOf(await load(name))).toEqual(lines.map((line) => line.trim()))
  })

  test.each(Object.keys(INTERFACES))('%s stands in docs/presets.md as it is', async (name) => {
    const row = page('docs/presets.md')
      .text.split('\n')
      .find((line) => line.startsWith(`| \`${name}\` |`))
    const { eventLoop, hats } = await load(name)
    expect(row).toContain(
      `\`${eventLoop.startingEvent ?? 'task.start'}\` → \`${eventLoop.completionPromise}\``,
    )
    for (const topic of eventLoop.requiredEvents) expect(row).toContain(`\`${topic}\``)
    for (const hat of hats) {
      expect(row).toContain(`\`${hat.id}\``)
      expect(row).toContain(`: ${hat.triggers.join(', ')} → ${hat.publishes.join(', ')}.`)
    }
  })
})

async function load(name: string): Promise<Settings> {
  const loaded = await loadSettings({
    configArgs: [],
    hats: `builtin:${name}`,
    flags: {},
    env: {},
    cwd: import.meta.dir,
    presets: builtinPresets,
    backends: new Map([['claude', 'unloaded']]),
  })
  if (!loaded.ok) throw new Error(loaded.error.map(formatFault).join('\n'))
  return loaded.value.settings
}

function interfaceOf({ eventLoop, hats }: Settings): readonly string[] {
  const { startingEvent = 'task.start', completionPromise, requiredEvents } = eventLoop
  const required = requiredEvents.length > 0 ? ` after ${requiredEvents.join(', ')}` : ''
  return [`${startingEvent} > ${completionPromise}${required}`, ...hats.map(hatLine)]
}

function hatLine(hat: Hat): string {
  const { concurrency, timeoutSeconds, maxActivations, defaultPublishes, aggregate } = hat
  const flags = [
    ...(concurrency > 1 ? [`${concurrency}x`] : []),
    ...(timeoutSeconds === undefined ? [] : [`${timeoutSeconds} s`]),
    ...(maxActivations === undefined ? [] : [`most ${maxActivations}`]),
    ...(defaultPublishes === undefined ? [] : [`default ${defaultPublishes}`]),
    ...(aggregate === undefined ? [] : [gathering(aggregate)]),
  ]
  const more = flags.length > 0 ? `; ${flags.join(', ')}` : ''
  return `${hat.id}: ${hat.triggers.join(', ')} > ${hat.publishes.join(', ')}${more}`
}

function gathering({ timeoutIsSet, timeoutSeconds }: NonNullable<Hat['aggregate']>): string {
  return timeoutIsSet ? `gathers within ${timeoutSeconds} s` : 'gathers'
}
