import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parse } from 'yaml'
import { inline } from '../../core/blob.ts'
import { formatFault } from '../../core/config/fault.ts'
import { type Loaded, loadSettings } from '../../core/config/load.ts'
import type { Hat } from '../../core/hat.ts'
import { renderPrompt } from '../../core/prompt/render.ts'
import { waveRoutes } from '../../core/prompt/wave-dispatch.ts'
import { createTopology, type Topology } from '../../core/topology.ts'
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

/** What the loop says when a hat has no activation left. */
const exhaustions = (hats: readonly Hat[]): readonly string[] =>
  hats.filter((hat) => hat.maxActivations !== undefined).map((hat) => `${hat.id}.exhausted`)

/** A hat and all to which its work can lead, by what it publishes or by its exhaustion. */
function reachedFrom(start: Hat, topology: Topology): readonly Hat[] {
  const reached = new Set([start])
  for (const hat of reached) {
    for (const topic of [...hat.publishes, ...exhaustions([hat])]) {
      const to = topology.receiver(topic)
      if (to) reached.add(to)
    }
  }
  return [...reached]
}

/** Topics that go to the coordinator on purpose: somebody must decide what no hat can. */
const FOR_THE_COORDINATOR = ['build.blocked', 'fix.blocked']

describe.each(Object.keys(builtinPresets))('%s', async (name) => {
  const loaded = await load({ hats: `builtin:${name}` })
  const { hats, eventLoop } = loaded.settings
  const topology = createTopology(hats)

  test('loads without a warning', () => {
    expect(loaded.warnings).toEqual([])
  })

  test('says in one line what it does', () => {
    expect(parse(builtinPresets[name] ?? '')).toMatchObject({
      name,
      description: expect.stringMatching(/^[A-Z].{20,120}\.$/),
    })
  })

  test('has a closed graph: every topic finds its hat, the coordinator or the end, every trigger has a source', () => {
    const published = hats.flatMap((hat) => hat.publishes)
    const unheard = published.filter((topic) => topology.receiver(topic) === null)
    const ends = [eventLoop.completionPromise, ...FOR_THE_COORDINATOR]
    expect(unheard.filter((topic) => !ends.includes(topic))).toEqual([])

    const said = [...published, ...exhaustions(hats)]
    const unsaid = hats.flatMap((hat) => hat.triggers).filter((trigger) => !said.includes(trigger))
    expect(unsaid).toEqual(hats.length > 0 ? [eventLoop.startingEvent ?? 'none'] : [])
  })

  test('reaches every hat from its start, and its end from every hat', () => {
    const { completionPromise, startingEvent = 'task.start' } = eventLoop
    const first = topology.receiver(startingEvent)
    const reached = first ? reachedFrom(first, topology) : []
    expect(reached.map(({ id }) => id).sort()).toEqual(hats.map(({ id }) => id).sort())
    for (const hat of hats) {
      const ends = reachedFrom(hat, topology).filter((to) => to.publishes.includes(completionPromise))
      expect([hat.id, ends.length > 0]).toEqual([hat.id, true])
    }
  })

  test('lets no worker end the run, and counts on topics that a hat publishes', () => {
    const { completionPromise, requiredEvents } = eventLoop
    for (const hat of hats.filter(({ concurrency }) => concurrency > 1))
      expect(hat.publishes).not.toContain(completionPromise)
    const published = hats.flatMap((hat) => hat.publishes)
    for (const topic of requiredEvents) expect(published).toContain(topic)
  })

  test('says of each hat what it is for, and tells it what to do', () => {
    for (const hat of hats) {
      expect(hat.description).not.toBe(hat.name)
      expect(hat.instructions.length).toBeGreaterThan(200)
    }
  })

  test('describes each topic by which its hats hand over, and no other', () => {
    const published = hats.flatMap((hat) => hat.publishes)
    const handedOver = published.filter((topic) => topic !== eventLoop.completionPromise)
    expect(Object.keys(loaded.settings.events).sort()).toEqual([...new Set(handedOver)].sort())
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

test('wave presets show their dispatchers how to hand out a wave', async () => {
  const dispatchers = async (name: string): Promise<readonly string[]> => {
    const { hats } = (await load({ hats: `builtin:${name}` })).settings
    const routesOf = (hat: Hat) => waveRoutes(hat.publishes, createTopology(hats))
    return hats.flatMap((hat) => routesOf(hat).map((to) => `${hat.id} ${to.kind} ${to.hat.id}`))
  }
  const names = Object.keys(builtinPresets)
  const found = await Promise.all(names.map(async (name) => [name, await dispatchers(name)] as const))
  expect(Object.fromEntries(found.filter(([, routes]) => routes.length > 0))).toEqual({
    'wave-review': ['coordinator splitter reviewer'],
    'wave-research': ['planner splitter researcher'],
    'wave-debate': [
      'moderator scatter advocate',
      'moderator scatter skeptic',
      'moderator scatter practitioner',
      'moderator scatter outsider',
    ],
    'wave-debug': ['investigator splitter tester'],
    'wave-review-and-document': ['coordinator splitter reviewer', 'decider splitter writer'],
  })
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
