import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { graphOf } from './rehearsal.ts'
import { rig } from './rig.ts'

const PAGE = readFileSync(resolve(import.meta.dir, '../../../docs/mock-scripts.md'), 'utf8')
const EXAMPLE = /```yaml\n# rehearsal\.yml\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? ''

const GRAPH = graphOf(`
  coordinator: review.start -> review.perspective
  reviewer: review.perspective -> review.done; 3
  synthesizer: review.done -> review.complete; agg`)

test('the example of the documentation plays as it says', async () => {
  await using stage = rig()
  const script = EXAMPLE
  const base = { graph: GRAPH, completionPromise: 'review.complete', objective: 'the login form' }
  const reviewer = (index: number, payload: string, attempt: number) => ({
    ...base,
    kind: 'worker' as const,
    hats: ['reviewer'],
    attempt,
    wave: { id: 'w', index, total: 3, topic: 'review.perspective' },
    events: [{ topic: 'review.perspective', payload }],
  })

  const dispatcher = await stage.act({ role: { ...base, hats: ['coordinator'] }, script })
  expect(dispatcher.said).toBe('Splitting: the login form\n')
  expect(stage.events().map((row) => row.payload)).toEqual(['security', 'speed', 'style'])

  const security = await stage.act({ role: reviewer(0, 'security', 1), script })
  expect(security.events.findLast((event) => event.type === 'cost')).toEqual({ type: 'cost', usd: 0.02 })
  const overloaded = await stage.act({ role: reviewer(1, 'speed', 1), script })
  expect(overloaded.verdict).toEqual({
    ok: false,
    class: 'overload',
    message: 'try again',
    retryAfterMs: 200,
  })
  expect((await stage.act({ role: reviewer(1, 'speed', 2), script })).verdict).toEqual({ ok: true })
  expect((await stage.act({ role: reviewer(2, 'style', 1), script })).exitCode).toBe(3)

  await stage.act({
    role: { ...base, hats: ['synthesizer'], agent: 9 },
    script,
    env: { USER_NOTE: 'and so on' },
  })
  const rows = stage.events().slice(3)
  expect(rows.map((row) => row.topic)).toEqual(['review.done', 'review.done', 'review.complete'])
  expect(rows[0]?.payload).toMatch(/^security looked at \d+ entries$/)
  expect(rows[1]?.payload).toBe('speed: fine at attempt 2')
  expect(rows[2]?.payload).toContain('Seen by synthesizer, agent 9: and so on')
})
