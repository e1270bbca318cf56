import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { formatFault } from '../../core/config/fault.ts'
import { load } from '../core/config/fixture.ts'
import { anyText, damage, holds, jsonWith } from './property.ts'

const KEYS = [
  ...[
    'event_loop',
    'cli',
    'core',
    'adapters',
    'features',
    'hats',
    'events',
    'agent',
    'project',
    'claude',
    'custom',
  ],
  ...[
    'max_iterations',
    'completion_promise',
    'backend',
    'command',
    'args',
    'prompt_mode',
    'timeout',
    'price',
    'retry',
  ],
  ...[
    'name',
    'description',
    'triggers',
    'publishes',
    'concurrency',
    'aggregate',
    'mode',
    'wait_for_all',
    'import',
  ],
  ...[
    'attempts',
    'on',
    'rate_limit',
    'backoff_seconds',
    'model',
    'max_activations',
    'scratchpad',
    'prompt',
    'mock',
  ],
]
const SEEDS = ['../fixtures/collections', '../../presets'].flatMap((folder) =>
  readdirSync(join(import.meta.dir, folder))
    .filter((name) => name.endsWith('.yml'))
    .map((name) => readFileSync(join(import.meta.dir, folder, name))),
)

/** Whatever it is given, the loader says yes or names what is wrong, with a place. */
async function check(setup: Parameters<typeof load>[0]): Promise<void> {
  const result = await load(setup)
  if (result.ok) expect(result.value.settings.eventLoop.maxIterations).toBeGreaterThanOrEqual(0)
  else {
    expect(result.error.length).toBeGreaterThan(0)
    for (const fault of result.error) expect(formatFault(fault).trim()).not.toBe('')
  }
}

describe('the config loader, on any text', () => {
  test('never throws and never hangs on bytes, nor on damaged files of ours', () =>
    holds(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString()),
          fc
            .tuple(fc.constantFrom(...SEEDS), damage)
            .map(([seed, harm]) => Buffer.from(harm(seed)).toString()),
        ),
        (yaml) => check({ yaml }),
      ),
      300,
    ))

  test('never throws on well-formed files of any shape', () =>
    holds(
      fc.asyncProperty(jsonWith(KEYS), fc.constantFrom('main', 'home', 'collection'), (value, place) => {
        const text = stringify(value) ?? ''
        if (place === 'main') return check({ yaml: text })
        return place === 'home' ? check({ home: text }) : check({ files: { 'c.yml': text }, hats: 'c.yml' })
      }),
      400,
    ))

  test('never throws on overrides, and says what is wrong with those that it refuses', () =>
    holds(
      fc.asyncProperty(fc.constantFrom(...KEYS), fc.constantFrom(...KEYS), anyText, async (a, b, value) => {
        const result = await load({ configArgs: [`${a}.${b}=${value}`] })
        if (result.ok) return
        expect(result.error.length).toBeGreaterThan(0)
      }),
      300,
    ))
})
