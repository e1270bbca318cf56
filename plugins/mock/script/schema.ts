import * as v from 'valibot'
import type { Step } from '../step.ts'
import { mapping, stepSchema } from './step-schema.ts'

/** A script as written: what each actor does. */
export interface Script {
  readonly hats: Readonly<Record<string, Part>>
}

/** The steps of one actor, or the ways in which they depend on who acts and how often. */
export type Part = readonly Step[] | Branches

/** The first that fits counts: `items`, then `attempts`, then `turns`, then `steps`. */
export interface Branches {
  readonly steps?: readonly Step[] | undefined
  /** By start of this hat in the run. Beyond the last: `steps`, else the last again. */
  readonly turns?: readonly Part[] | undefined
  /** By attempt of the same work, from 1. */
  readonly attempts?: Readonly<Record<string, Part>> | undefined
  /** By index in the wave, from 0. */
  readonly items?: Readonly<Record<string, Part>> | undefined
  /** A worker that is asked once more for its result. Without it the worker's conversation cannot be gone on with. */
  readonly nudged?: Part | undefined
}

const numbers = (from: 0 | 1) =>
  v.record(
    v.pipe(
      v.string('must be a text'),
      v.regex(from === 0 ? /^\d+$/ : /^[1-9]\d*$/, `must be a number from ${from}`),
    ),
    v.lazy(() => part),
  )

const branches: v.GenericSchema<unknown, Branches> = v.pipe(
  mapping({
    steps: v.optional(v.array(stepSchema)),
    turns: v.optional(v.pipe(v.array(v.lazy(() => part)), v.minLength(1, 'needs at least one turn'))),
    attempts: v.optional(numbers(1)),
    items: v.optional(numbers(0)),
    nudged: v.optional(v.lazy(() => part)),
  }),
  v.check(
    (given) => Object.keys(given).length > 0,
    'needs `steps`, `turns`, `attempts`, `items` or `nudged`',
  ),
)

const part: v.GenericSchema<unknown, Part> = v.lazy(
  (input): v.GenericSchema<unknown, Part> => (Array.isArray(input) ? v.array(stepSchema) : branches),
)

export const scriptSchema: v.GenericSchema<unknown, Script> = mapping({
  hats: v.record(v.string('must be a text'), part),
})
