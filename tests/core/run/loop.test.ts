import { describe, expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import { CLEAN, exits, hat, type Rig, rig, says, text } from './rig.ts'

/** FC of the contract's cases. */
const CHAIN = [hat('a', ['work.start'], ['b.go']), hat('b', ['b.go'], ['LOOP_COMPLETE'])]
const chain = (more: Parameters<typeof rig>[0] = {}): Rig =>
  rig({ hats: CHAIN, ...more, loop: { startingEvent: 'work.start', ...more.loop } })

function activeHats(r: Rig): (readonly string[])[] {
  return r.all('begin-iteration').map((action) => action.hats)
}

function lastPrompt(r: Rig) {
  const brief = r.all('start-agent').at(-1)?.brief
  if (brief?.kind !== 'iteration') throw new Error('the last agent plays no iteration')
  return {
    brief,
    topics: brief.pending.map((one) => (one.kind === 'event' ? one.event.topic : `wave ${one.wave.id}`)),
    payloads: brief.pending.map((one) => (one.kind === 'event' ? text(one.event.payload) : '')),
  }
}

/** Lets the agent of each iteration do the same until the run ends. */
function repeat(r: Rig, act: (r: Rig) => void, most = 50): number {
  let starts = 0
  while (r.end === null && starts < most) {
    starts += 1
    act(r)
  }
  return starts
}

describe('the loop', () => {
  test('hands an event to the hat that it routes to, and completes by the event of its promise (case 54)', () => {
    const r = chain()
    r.act([['b.go', '1']])
    r.act([['LOOP_COMPLETE', 'done']])
    expect(activeHats(r)).toEqual([['a'], ['b']])
    expect(r.end).toBe('completed')
    expect(r.state.loop?.completion?.payload).toEqual(inline('done'))
  })

  test('wakes the coordinator where no hat receives the topic (case 55)', () => {
    const r = chain()
    r.act([['nobody.x']])
    expect(activeHats(r).at(-1)).toEqual([])
    expect(lastPrompt(r).topics).toEqual(['nobody.x'])
  })

  test('delivers to one hat: the first specific match, before the lone star (cases 57, 58)', () => {
    const hats = [hat('log', ['*'], []), hat('a', ['work.start'], ['b.go', 'other']), hat('b', ['b.go'], [])]
    const r = rig({ hats, loop: { startingEvent: 'work.start' } })
    r.act([['b.go'], ['other']])
    expect(activeHats(r).at(-1)).toEqual(['b', 'log'])
  })

  test('does not show its own kickoff again beside an event of an agent (case 59)', () => {
    const r = chain()
    r.act([['build.start'], ['b.go']])
    expect(lastPrompt(r).topics).toEqual(['build.start', 'b.go'])
  })

  test('gives events back when an iteration fails, and does not count it (cases 65, 69)', () => {
    const r = chain()
    r.act([], exits(1, 'boom'))
    expect(activeHats(r)).toEqual([['a'], ['a']])
    expect(lastPrompt(r).topics).toEqual(['work.start'])
    expect(lastPrompt(r).brief.lastFailure).toBe('exit code 1\nboom')
    expect(r.state.activations.get('a')).toBeUndefined()
  })

  test('counts an iteration with an accepted event as a success, whatever becomes of the agent (case 71)', () => {
    const r = chain()
    r.act([['b.go', '1']], exits(3))
    expect(activeHats(r).at(-1)).toEqual(['b'])
    expect(r.state.loop?.counters.failures).toBe(0)
  })

  test.each([
    { what: 'an exit code (case 69)', end: exits(1), reason: 'consecutive_failures', starts: 5 },
    {
      what: 'a missing program (case 70)',
      end: { spawnError: 'ENOENT: ./missing' },
      reason: 'consecutive_failures',
      starts: 5,
    },
    {
      what: 'an auth failure (case 177)',
      end: { failure: { class: 'auth', message: 'no key' } } as const,
      reason: 'backend_unavailable',
      starts: 1,
    },
  ])('ends for $what', ({ end, reason, starts }) => {
    const r = rig()
    expect(repeat(r, () => r.act([], end))).toBe(starts)
    expect(r.end as string).toBe(reason)
  })

  test('waits for a provider that turns it away, and starts the same work again (case 176)', () => {
    const r = chain()
    r.act([], { failure: { class: 'rate_limit', message: 'slow down', retryAfterMs: 1000 } })
    expect(r.running()).toEqual([])
    const [timer] = r.all('set-timer').filter(({ timer }) => timer.kind === 'phase')
    expect(timer?.ms).toBeGreaterThanOrEqual(1000)
    expect(timer?.ms).toBeLessThanOrEqual(1250)
    r.happen({ type: 'timer.fired', timer: { kind: 'phase' } })
    expect(r.all('begin-iteration')).toHaveLength(1)
    expect(r.all('start-agent').map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(r.state.loop?.counters.failures).toBe(0)
  })

  test('that ends for a used-up quota knows whose it is, and until when', () => {
    const r = rig()
    r.act([], { failure: { class: 'quota', message: 'used up', retryAfterMs: 3_600_000 } })
    expect(r.end).toBe('backend_unavailable')
    expect(r.state.stop?.trouble).toEqual({
      backend: 'custom',
      class: 'quota',
      retry_at: 1_000_000 + 3_600_000,
    })
  })

  test('does not wait past its own time (case 176)', () => {
    const r = rig({ loop: { maxRuntimeSeconds: 5 } })
    r.act([], { failure: { class: 'overload', message: 'full', retryAfterMs: 60_000 } })
    expect(r.end).toBe('max_runtime')
  })
})

describe('silence', () => {
  test('ends a run with hats after three silent iterations, which are told what is missing (case 67)', () => {
    const r = chain()
    r.act([])
    expect(lastPrompt(r).topics).toEqual(['task.resume'])
    expect(lastPrompt(r).payloads[0]).toContain('b.go')
    expect(1 + repeat(r, () => r.act([]))).toBe(3)
    expect(r.end).toBe('no_progress')
  })

  test('is free without hats, as long as the limits allow (case 67)', () => {
    const r = rig({ loop: { maxIterations: 6 } })
    expect(repeat(r, () => r.act([]))).toBe(6)
    expect(r.end).toBe('max_iterations')
  })

  test.each([
    { most: 5, starts: 5, reason: 'no_progress' },
    { most: 0, starts: 7, reason: 'max_iterations' },
  ])('obeys max_silent_iterations: $most (case 179)', ({ most, starts, reason }) => {
    const r = chain({ loop: { maxSilentIterations: most, maxIterations: 7 } })
    expect(repeat(r, () => r.act([]))).toBe(starts)
    expect(r.end as string).toBe(reason)
  })

  test('is no silence while the scratchpad changes (case 179)', () => {
    const r = chain({ loop: { maxIterations: 7 } })
    expect(repeat(r, () => r.act([], { scratchpadChanged: true }))).toBe(7)
  })

  test('publishes the default of a hat after a clean silent iteration, with an empty payload (case 65)', () => {
    const [, b] = CHAIN
    const a = hat('a', ['work.start'], ['b.go'], { defaultPublishes: 'b.go' })
    const r = rig({ hats: b === undefined ? [] : [a, b], loop: { startingEvent: 'work.start' } })
    r.act([])
    expect(activeHats(r).at(-1)).toEqual(['b'])
    expect(lastPrompt(r).payloads).toEqual([''])
  })

  test('takes a default that is the promise for no completion (case 66)', () => {
    const hats = [hat('a', ['work.start'], ['LOOP_COMPLETE'], { defaultPublishes: 'LOOP_COMPLETE' })]
    const r = rig({ hats, loop: { startingEvent: 'work.start' } })
    expect(repeat(r, () => r.act([]))).toBe(3)
    expect(activeHats(r)).toEqual([['a'], ['a'], ['a']])
    expect(r.end).toBe('no_progress')
  })

  test('ends a chain of defaults that is longer than the hats (case 68)', () => {
    const hats = [
      hat('a', ['work.start', 'a.go'], ['b.go'], { defaultPublishes: 'b.go' }),
      hat('b', ['b.go'], ['a.go'], { defaultPublishes: 'a.go' }),
    ]
    const r = rig({ hats, loop: { startingEvent: 'work.start' } })
    expect(repeat(r, () => r.act([]))).toBe(3)
    expect(r.end).toBe('no_progress')
  })
})

describe('staleness and bad lines', () => {
  test.each([
    { what: 'the same event', turns: [['t p'], ['t p'], ['t p']], stale: true },
    { what: 'other payloads', turns: [['t 1'], ['t 2'], ['t 3']], stale: false },
    {
      what: 'the same two in changing order',
      turns: [
        ['x 1', 'y 2'],
        ['y 2', 'x 1'],
        ['x 1', 'y 2'],
      ],
      stale: true,
    },
    { what: 'another set in between', turns: [['x 1'], ['x 1', 'y 2'], ['x 1']], stale: false },
  ])('three iterations with $what (case 72)', ({ turns, stale }) => {
    const r = rig()
    for (const turn of turns) {
      r.act(turn.map((one) => one.split(' ') as [string, string]))
    }
    expect(r.end === 'loop_stale').toBe(stale)
  })

  const bad = [{ line: 1, reason: 'no JSON', excerpt: '{oops' }]
  function actBadly(r: Rig, events: readonly [string][] = []): void {
    r.happen({ type: 'events.read', events: [], bad, offset: 0, final: false })
    r.act(events)
  }

  test('three iterations in a row with bad lines and no good one end the run (case 52)', () => {
    const r = rig()
    expect(repeat(r, actBadly)).toBe(3)
    expect(r.end).toBe('validation_failure')
  })

  test('a good line in between, or many bad lines in one iteration, do not (case 52)', () => {
    const r = rig()
    r.happen({ type: 'events.read', events: [], bad: [...bad, ...bad], offset: 0, final: false })
    actBadly(r)
    actBadly(r, [['x']])
    actBadly(r)
    r.act([], says('LOOP_COMPLETE'))
    expect(r.end).toBe('completed')
  })

  test('a bad line reaches the next prompt with its number and its beginning (case 51)', () => {
    const r = rig()
    actBadly(r, [['x']])
    expect(lastPrompt(r).topics).toEqual(['event.malformed', 'x'])
    expect(lastPrompt(r).payloads[0]).toContain('1')
    expect(lastPrompt(r).payloads[0]).toContain('{oops')
  })
})

describe('completion', () => {
  test.each([
    { what: 'the promise as last line', end: says('all good\nLOOP_COMPLETE'), completes: true },
    { what: 'the promise in mid-text', end: says('LOOP_COMPLETE is far away'), completes: false },
  ])('by text: $what (cases 76, 77)', ({ end, completes }) => {
    const r = rig({ loop: { maxIterations: 1 } })
    r.act([], end)
    expect(r.end).toBe(completes ? 'completed' : 'max_iterations')
  })

  test('by text gives the text without the promise line (case 79)', () => {
    const r = rig()
    r.act([], says('all good\nLOOP_COMPLETE'))
    expect(r.state.loop?.completion?.payload).toEqual(inline('all good'))
  })

  test('by an event without payload gives the final message (case 79)', () => {
    const r = rig()
    r.act([['LOOP_COMPLETE']], says('the report'))
    expect(r.state.loop?.completion?.payload).toEqual(inline('the report'))
  })

  test('is ignored if a plain event follows, but not if a human event does (case 78)', () => {
    const followed = rig()
    followed.act([['LOOP_COMPLETE'], ['other']])
    expect(lastPrompt(followed).topics).toEqual(['other'])
    const human = rig()
    human.act([['LOOP_COMPLETE'], ['human.note']])
    expect(human.end).toBe('completed')
  })

  test('waits for required events and says which are missing (case 80)', () => {
    const r = rig({ loop: { requiredEvents: ['a'] } })
    r.act([['LOOP_COMPLETE']])
    expect(lastPrompt(r).topics).toEqual(['task.resume'])
    expect(lastPrompt(r).payloads[0]).toContain('a')
    r.act([['a']])
    r.act([['LOOP_COMPLETE']])
    expect(r.end).toBe('completed')
  })

  test('ends the run when it is rejected three times for the same reason (case 180)', () => {
    const same = rig({ loop: { requiredEvents: ['a'] } })
    expect(repeat(same, () => same.act([['LOOP_COMPLETE']]))).toBe(3)
    expect(same.end).toBe('no_progress')
    const other = rig({ loop: { requiredEvents: ['a', 'c'] } })
    other.act([['LOOP_COMPLETE']])
    other.act([['a'], ['LOOP_COMPLETE']])
    other.act([['LOOP_COMPLETE']])
    expect(other.end).toBeNull()
  })

  test('never comes in a persistent run (case 81)', () => {
    const r = rig({ loop: { persistent: true, maxIterations: 5 } })
    expect(repeat(r, () => r.act([['LOOP_COMPLETE']]))).toBe(5)
    expect(r.end).toBe('max_iterations')
  })

  test('gives way to a cancellation, which passes no check (case 82)', () => {
    const r = rig({ loop: { cancellationPromise: 'loop.cancel', requiredEvents: ['a'] } })
    r.act([['LOOP_COMPLETE'], ['loop.cancel']])
    expect(r.end).toBe('cancelled')
  })

  test('waits while guidance is not acknowledged (case 83)', () => {
    const r = rig()
    r.act([['human.guidance', 'use tabs'], ['LOOP_COMPLETE']])
    expect(lastPrompt(r).brief.guidance.map(text)).toEqual(['use tabs'])
    r.act([['human.guidance.ack']])
    expect(lastPrompt(r).brief.guidance).toEqual([])
    r.act([['LOOP_COMPLETE']])
    expect(r.end).toBe('completed')
  })
})

describe('limits and stops', () => {
  test('completion in the last allowed iteration is a completion (case 76)', () => {
    const r = rig({ loop: { maxIterations: 1 } })
    r.act([['LOOP_COMPLETE']])
    expect(r.end).toBe('completed')
  })

  test('max_cost counts what backends report (case 86)', () => {
    const r = rig({ loop: { maxCostUsd: 0.9 } })
    let i = 0
    expect(repeat(r, () => r.act([['x', String(i++)]], { costUsd: 0.5 }))).toBe(2)
    expect(r.end).toBe('max_cost')
  })

  test('a price derives the cost from tokens (case 171)', () => {
    const r = rig({ loop: { maxCostUsd: 3 }, backend: { price: { input: 1, output: 10, cachedInput: 1 } } })
    const usage = { input: 1_000_000, output: 100_000, cacheRead: 0, cacheWrite: 0, context: 0 }
    let i = 0
    expect(repeat(r, () => r.act([['x', String(i++)]], { usage }))).toBe(2)
    expect(r.end).toBe('max_cost')
    expect(r.state.totals.costSource).toBe('derived')
  })

  test.each([
    { limit: 'maxTokensTotal', reason: 'max_tokens', starts: 2, loop: { maxTokensTotal: 250 }, features: {} },
    { limit: 'maxAgents', reason: 'max_agents', starts: 2, loop: {}, features: { maxAgents: 2 } },
  ])('$limit ends the run (cases 172, 173)', ({ loop, features, reason, starts }) => {
    const r = rig({ loop, features })
    const usage = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, context: 0 }
    let i = 0
    expect(repeat(r, () => r.act([['x', String(i++)]], { usage }))).toBe(starts)
    expect(r.end as string).toBe(reason)
  })

  test('the stop file lets the running agent finish (case 88)', () => {
    const r = rig()
    r.happen({ type: 'stop.asked', how: 'drain' })
    expect(r.running()).toEqual([1])
    r.act([['x']])
    expect(r.end).toBe('stopped')
  })

  test('a signal ends the running agent, and then the run (case 89)', () => {
    const r = rig()
    r.happen({ type: 'stop.asked', how: 'now', signal: 'SIGINT' })
    expect(r.all('stop-agent')).toMatchObject([{ n: 1, cause: 'interrupt' }])
    expect(r.end).toBeNull()
    r.happen({
      type: 'agent.ended',
      n: 1,
      end: { ...CLEAN, exitCode: null, signal: 'SIGTERM', stoppedFor: 'interrupt' },
    })
    expect(r.end).toBe('interrupted')
  })

  test('a hat whose activations are used up loses its events, which is told once (case 60)', () => {
    const hats = [
      hat('rev', ['work.start', 'r.go'], ['r.go'], { maxActivations: 2 }),
      hat('watch', ['rev.exhausted'], ['r.go']),
    ]
    const r = rig({ hats, loop: { startingEvent: 'work.start' } })
    r.act([['r.go', '1']])
    r.act([['r.go', '2']])
    expect(activeHats(r).at(-1)).toEqual(['watch'])
    expect(lastPrompt(r).topics).toEqual(['rev.exhausted'])
    expect(lastPrompt(r).payloads[0]).toContain('r.go')
    r.act([['r.go', '3'], ['other']])
    expect(lastPrompt(r).topics).toEqual(['other'])
  })

  test('scope is enforced where the config asks for it, control topics apart (case 63)', () => {
    const r = chain({ loop: { enforceHatScope: true } })
    r.act([['zzz'], ['b.go', '1']])
    expect(lastPrompt(r).topics.sort()).toEqual(['a.scope_violation', 'b.go'])
    r.act([['LOOP_COMPLETE']])
    expect(r.end).toBe('completed')
  })
})
