import fc from 'fast-check'

/**
 * Holds a property to `runs` inputs. The same ones each time, unless `RALPH_FUZZ_SEED` names another seed;
 * `RALPH_FUZZ_TIMES` multiplies them. fast-check prints the smallest input that fails, with its seed.
 */
export async function holds(property: fc.IRawProperty<unknown>, runs: number): Promise<void> {
  const seed = Number(process.env.RALPH_FUZZ_SEED ?? 1)
  const times = Number(process.env.RALPH_FUZZ_TIMES ?? 1)
  await fc.assert(property, { seed, numRuns: runs * times })
}

/** Text that a program might choke on: any characters, control sequences, halves of pairs. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\u001b[2J',
    '\ud83d',
    '\ufeff',
    '__proto__',
    '../..',
    '9'.repeat(400),
    '-',
  ),
)

/** Any JSON value, with the names that `names` gives among its keys. */
export function jsonWith(names: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof({ arbitrary: fc.constantFrom(...names), weight: 5 }, { arbitrary: anyText, weight: 1 })
  return fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      fc.oneof(
        anyText,
        fc.constantFrom(...names),
        fc.integer(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.constantFrom(-1, 0, 1, 2 ** 31, 1e308),
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries)),
  })).value
}

/** How a text is damaged: bytes are removed, doubled, replaced or put in. */
export const damage: fc.Arbitrary<(bytes: Uint8Array) => Uint8Array> = fc
  .array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      take: fc.integer({ min: 0, max: 12 }),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 8 }),
        fc
          .constantFrom('{', '}', '"', '\n', ':', ',', '[', '\\', '*', '&a', '- ', '\t', '  ')
          .map((text) => Buffer.from(text)),
      ),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((edits) => (bytes: Uint8Array): Uint8Array => {
    let text = Buffer.from(bytes)
    for (const { at, take, put } of edits) {
      const from = Math.floor(at * text.length)
      text = Buffer.concat([text.subarray(0, from), put, text.subarray(from + take)])
    }
    return text
  })
