import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { inline } from '../../core/blob.ts'
import { formatFault } from '../../core/config/fault.ts'
import { type Loaded, loadSettings } from '../../core/config/load.ts'
import { renderPrompt } from '../../core/prompt/render.ts'
import { waveRoutes } from '../../core/prompt/wave-dispatch.ts'
import { createTopology } from '../../core/topology.ts'
import { builtinPresets } from '../../presets/index.ts'
import { iteration, material, NO_HEREDOC, read, worker } from '../core/prompt/briefs.ts'

const COLLECTIONS = join(import.meta.dir, '../fixtures/collections')

async function load(request: {
  readonly hats?: string
  readonly configArgs?: readonly string[]
}): Promise<Loaded> {
  const loaded = await loadSettings({
    configArgs: [],
    flags: {},
    env: {},
    cwd: COLLECTIONS,
    presets: builtinPresets,
    backends: new Map([['claude', 'unloaded']]),
    ...request,
  })
  if (!loaded.ok) throw new Error(loaded.error.map(formatFault).join('\n'))
  return loaded.value
}

/** Every prompt that a run of the collection can show: of each hat as iteration and as worker, and of the coordinator. */
function promptsOf({ settings }: Loaded, more: Parameters<typeof material>[0] = {}): readonly string[] {
  const { hats, events } = settings
  const { completionPromise } = settings.eventLoop
  const seen = material({ control: { completion: completionPromise }, topicNotes: events, ...more })
  return [
    ...[[], ...hats.map(({ id }) => [id])].map((active) =>
      renderPrompt(iteration(hats, active, { completionPromise }), seen, read),
    ),
    ...hats.map((hat) => renderPrompt(worker({ hat }), seen, read)),
  ]
}

describe.each(Object.keys(builtinPresets))('%s', async (name) => {
  const loaded = await load({ hats: `builtin:${name}` })
  const { hats, eventLoop } = loaded.settings
  const topology = createTopology(hats)

  test('loads without a warning', () => {
    expect(loaded.warnings).toEqual([])
  })

  test('has a closed graph: every published topic is received or ends the run, every trigger has a source', () => {
    const published = hats.flatMap((hat) => hat.publishes)
    const unheard = published.filter((topic) => topology.receiver(topic) === null)
    expect(unheard).toEqual([eventLoop.completionPromise])
    const unsaid = hats.flatMap((hat) => hat.triggers).filter((trigger) => !published.includes(trigger))
    expect(unsaid).toEqual([eventLoop.startingEvent ?? 'none'])
  })

  test('describes each topic that it notes, and only its own', () => {
    const published = hats.flatMap((hat) => hat.publishes)
    for (const topic of Object.keys(loaded.settings.events)) expect(published).toContain(topic)
  })

  test.each([
    ['with heredocs', {}],
    ['without heredocs', NO_HEREDOC],
  ])('teaches only forms that no shell evaluates, %s', (_, more) => {
    for (const prompt of promptsOf(loaded, more)) {
      expect(prompt).not.toMatch(/emit [^\n]*"/)
      expect(prompt).not.toMatch(/--payloads? "/)
      expect(prompt).not.toMatch(/<<(?!'RALPH_EOF')/)
    }
  })

  test('is written for no particular language or program', () => {
    expect(builtinPresets[name]).not.toMatch(/\b(rust|typescript|javascript|python|java|cargo|npm|claude)\b/i)
  })
})

describe('wave-review', async () => {
  const { hats, eventLoop } = (await load({ hats: 'builtin:wave-review' })).settings

  test('has the hats, topics and limits that its users know', () => {
    expect(eventLoop).toMatchObject({ startingEvent: 'review.start', completionPromise: 'review.complete' })
    expect(hats).toMatchObject([
      { id: 'coordinator', triggers: ['review.start'], publishes: ['review.perspective'], concurrency: 1 },
      {
        id: 'reviewer',
        triggers: ['review.perspective'],
        publishes: ['review.done'],
        concurrency: 3,
        timeoutSeconds: 600,
      },
      {
        id: 'synthesizer',
        triggers: ['review.done'],
        publishes: ['review.complete'],
        defaultPublishes: 'review.complete',
        aggregate: { mode: 'wait_for_all', timeoutSeconds: 600 },
      },
    ])
  })

  test('dispatches to its reviewers as a wave', () => {
    const routes = waveRoutes(['review.perspective'], createTopology(hats))
    expect(routes.map(({ hat, kind }) => [hat.id, kind])).toEqual([['reviewer', 'splitter']])
  })
})

test('wave-research goes from a planner over four researchers to a synthesizer', async () => {
  const { hats, eventLoop } = (await load({ hats: 'builtin:wave-research' })).settings
  expect(eventLoop).toMatchObject({ startingEvent: 'research.start', completionPromise: 'research.complete' })
  expect(hats.map(({ id, concurrency, publishes }) => [id, concurrency, ...publishes])).toEqual([
    ['planner', 1, 'research.question'],
    ['researcher', 4, 'research.answer'],
    ['synthesizer', 1, 'research.complete'],
  ])
})

describe('the three-hat example', async () => {
  test.each([
    ['-H', { hats: join(COLLECTIONS, 'three-hats.yml') }],
    ['-c', { configArgs: [join(COLLECTIONS, 'three-hats.yml')] }],
  ])('loads with %s', async (_, request) => {
    const { settings } = await load(request)
    expect(settings.hats.map(({ id }) => id)).toEqual(['coordinator', 'reviewer', 'synthesizer'])
  })

  test('ends by the coordinator, since nobody receives its last topic', async () => {
    const loaded = await load({ hats: join(COLLECTIONS, 'three-hats.yml') })
    expect(createTopology(loaded.settings.hats).receiver('review.complete')).toBeNull()
    const [coordinator, dispatcher] = promptsOf(loaded)
    expect(coordinator).toContain("ralph emit LOOP_COMPLETE --stdin <<'RALPH_EOF'")
    expect(dispatcher).toContain('ralph wave emit review.perspective')
  })
})

describe("a collection of the shape of v2.10's wave-review", () => {
  const file = join(COLLECTIONS, 'wave-review-v2.yml')

  test('loads with -H, with warnings for what is ignored there and for the longer timeout', async () => {
    const { warnings } = await load({ hats: file })
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toContain('core')
    expect(warnings[1]).toContain('600')
  })

  test('loads with -c, where its limits and guardrails count', async () => {
    const { settings } = await load({ configArgs: [file] })
    expect(settings.eventLoop.maxIterations).toBe(20)
    expect(settings.core.guardrailsAreSet).toBe(true)
  })

  test('has PENDING EVENTS above the instructions that look for it there', async () => {
    const { hats } = (await load({ hats: file })).settings
    const pending = [{ kind: 'event', event: { topic: 'review.done', payload: inline('x') } } as const]
    const prompt = renderPrompt(iteration(hats, ['synthesizer'], { pending }), material(), read)
    const section = prompt.indexOf('## PENDING EVENTS')
    expect(section).toBeGreaterThan(-1)
    expect(section).toBeLessThan(prompt.indexOf('PENDING EVENTS above'))
  })
})
