import type { EventLoopSettings, FeatureSettings } from '../../core/config/settings.ts'
import type { Hat } from '../../core/hat.ts'
import type { Rules } from '../../core/run/state.ts'
import { aggregate, FEATURES, hat, LOOP } from '../core/run/rig.ts'
import type { Random } from './random.ts'

/** What a simulated run is about: who there is, and what limits them. */
export interface Scenario {
  readonly hats: readonly Hat[]
  readonly rules: Rules
}

export const PROMISE = 'LOOP_COMPLETE'
export const CANCEL = 'LOOP_CANCEL'

/** Three to seven hats in one of the usual shapes or in none, with limits of all kinds. */
export function createScenario(random: Random): Scenario {
  const hats = vary(random, shape(random))
  return {
    hats: random.chance(0.03) ? [] : hats,
    rules: {
      eventLoop: loopSettings(random, hats),
      features: featureSettings(random),
      backends: {
        '': {
          name: 'custom',
          output: random.chance(0.5) ? 'text' : 'stream',
          contextWindow: 0,
          inactivitySeconds: random.int(30, 900),
          ...(random.chance(0.4) ? { startGapMs: random.int(50, 2000) } : {}),
          ...(random.chance(0.3) ? { price: { input: 3, output: 15, cachedInput: 1 } } : {}),
        },
      },
    },
  }
}

function shape(random: Random): Hat[] {
  switch (random.weighted({ wave: 3, chain: 3, scatter: 2, any: 4 })) {
    case 'wave':
      return [
        hat('disp', ['work.start'], ['item.go']),
        hat('work', ['item.go'], ['item.done'], { concurrency: random.int(2, 5) }),
        hat('agg', ['item.done'], [PROMISE, 'work.start'], aggregateOf(random)),
      ]
    case 'chain':
      return [
        hat('disp', ['work.start'], ['item.go']),
        hat('work', ['item.go'], ['mid.go', 'item.done'], { concurrency: random.int(2, 4) }),
        hat('mid', ['mid.go'], random.chance(0.3) ? ['last.go', 'item.go'] : ['item.done'], {
          concurrency: random.int(2, 3),
        }),
        hat('last', ['last.go'], ['item.done'], { concurrency: 2 }),
        hat('agg', ['item.done'], ['work.start', PROMISE], aggregateOf(random)),
      ]
    case 'scatter':
      return [
        hat('disp', ['work.start'], ['view.*']),
        hat('one', ['view.one'], ['seen.one']),
        hat('two', ['view.two'], ['seen.two']),
        hat('many', ['view.many'], ['seen.many'], { concurrency: random.int(2, 3) }),
        hat('agg', ['seen.*'], ['view.*', PROMISE], aggregateOf(random)),
      ]
    case 'any':
      return anyShape(random)
  }
}

function anyShape(random: Random): Hat[] {
  const count = random.int(3, 7)
  const topic = (i: number): string => `t${i}.go`
  return Array.from({ length: count }, (_, i) => {
    const publishes = Array.from({ length: random.int(0, 3) }, () => topic(random.int(0, count)))
    if (random.chance(0.4)) publishes.push(PROMISE)
    const triggers = random.chance(0.1) ? ['*'] : [topic(i)]
    const made = hat(`h${i}`, i === 0 ? [...triggers, 'work.start'] : triggers, [...new Set(publishes)])
    if (random.chance(0.25)) return { ...made, ...aggregateOf(random) }
    return random.chance(0.45) ? { ...made, concurrency: random.int(2, 4) } : made
  })
}

function aggregateOf(random: Random): Pick<Hat, 'aggregate'> {
  return aggregate(random.chance(0.4) ? random.int(20, 120) : undefined)
}

/** Limits and defaults on some of the hats. */
function vary(random: Random, hats: readonly Hat[]): Hat[] {
  return hats.map((one) => ({
    ...one,
    ...(random.chance(0.15) ? { maxActivations: random.int(1, 8) } : {}),
    ...(random.chance(0.25) ? { timeoutSeconds: random.int(5, 90) } : {}),
    ...(random.chance(0.2) ? { defaultPublishes: one.publishes[0] ?? 'work.start' } : {}),
    ...(random.chance(0.2)
      ? {
          retry: {
            attempts: random.int(1, 4),
            on: ['crash', 'rate_limit'] as const,
            backoffSeconds: random.int(1, 30),
          },
        }
      : {}),
  }))
}

function loopSettings(random: Random, hats: readonly Hat[]): EventLoopSettings {
  return {
    ...LOOP,
    startingEvent: random.chance(0.85) ? 'work.start' : 'task.start',
    maxIterations: random.int(2, 25),
    maxConsecutiveFailures: random.int(1, 5),
    maxSilentIterations: random.int(0, 3),
    enforceHatScope: random.chance(0.2),
    persistent: random.chance(0.05),
    cooldownDelaySeconds: random.chance(0.2) ? 5 : 0,
    requiredEvents: random.chance(0.15) ? [random.pick(hats)?.publishes[0] ?? 'item.done'] : [],
    ...(random.chance(0.3) ? { cancellationPromise: CANCEL } : {}),
    ...(random.chance(0.15) ? { maxRuntimeSeconds: random.int(10, 1000) } : {}),
    ...(random.chance(0.15) ? { maxCostUsd: random.int(1, 40) / 10 } : {}),
    ...(random.chance(0.1) ? { maxTokensTotal: random.int(500, 20_000) } : {}),
  }
}

function featureSettings(random: Random): FeatureSettings {
  return {
    ...FEATURES,
    maxConcurrency: random.int(1, 8),
    maxWaveItems: random.chance(0.2) ? random.int(2, 6) : 100,
    ...(random.chance(0.15) ? { maxAgents: random.int(3, 40) } : {}),
    retry: {
      ...FEATURES.retry,
      attempts: random.int(1, 3),
      backoffSeconds: random.int(1, 20),
    },
  }
}
