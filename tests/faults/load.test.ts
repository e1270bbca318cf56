import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { type Config, configure, FW, reason, roleScript, rundir } from '../e2e/fixtures.ts'
import { merged, promptOf, theWave, workerFiles } from '../e2e/waves.ts'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { measured } from './measured.ts'

/** `npm run test:load` takes the long form. */
const LONG = process.env.RALPH_TEST_LOAD === 'long'
const MINUTES = 60_000

test(
  `64 processes that write ${LONG ? 1000 : 100} lines each at the same time lose none and tear none`,
  async () => {
    const emits = LONG ? 1000 : 40
    const waves = LONG ? 0 : 3
    await using box = sandbox()
    box.write('long', 'x'.repeat(100_000))
    // Every 20th event is longer than any buffer in between; a wave is twenty lines in one append.
    box.write(
      'write.sh',
      `for i in $(seq ${emits}); do
        if [ $((i % 20)) = 0 ]; then "$RALPH_BIN" emit "p$1.long" --payload-file long
        else "$RALPH_BIN" emit "p$1.e$i" "$1:$i"; fi || echo "p$1.e$i" >> failed
      done < /dev/null > /dev/null
      for i in $(seq ${waves}); do
        seq 20 | "$RALPH_BIN" wave emit "p$1.w$i" --stdin || echo "p$1.w$i" >> failed
      done > /dev/null 2>&1`,
    )
    const done = await box.sh('mkdir .ralph; for p in $(seq 64); do bash write.sh $p & done; wait')
    expect([done.code, box.exists('failed')]).toEqual([0, false])

    const counts: Record<string, number> = {}
    for (const { topic } of box.rows('.ralph/events.jsonl'))
      counts[`${topic}`] = (counts[`${topic}`] ?? 0) + 1
    const wanted: Record<string, number> = {}
    for (let p = 1; p <= 64; p++) {
      for (let i = 1; i <= emits; i++) if (i % 20 !== 0) wanted[`p${p}.e${i}`] = 1
      for (let i = 1; i <= waves; i++) wanted[`p${p}.w${i}`] = 20
      wanted[`p${p}.long`] = emits / 20
    }
    expect(counts).toEqual(wanted)
  },
  (LONG ? 60 : 10) * MINUTES,
)

/** A dispatcher with `items` items, whose workers are the plainest program: what they print is the result. */
function manyItems(box: Sandbox, items: number, features: Config): void {
  const work = { command: '/bin/echo', args: ['done'] }
  configure(
    box,
    FW({
      features: { max_concurrency: 16, max_wave_items: items, ...features },
      hats: { work: { concurrency: 16, backend: work } },
    }),
  )
  roleScript(box, { disp: `seq ${items} | "$RALPH_BIN" wave emit item.go --stdin > /dev/null` })
}

test(
  'a wave of 1000 items gives 1000 results to one aggregator, in order, within bounds of time and memory',
  async () => {
    await using box = sandbox()
    manyItems(box, 1000, { max_agents: 1002 })
    const done = await measured(box, ['run', '-p', 'X'])
    expect([done.code, reason(box)]).toEqual([0, 'completed'])
    const results = merged(box, 'item.done')
    expect(results.map((row) => row.wave_index)).toEqual(Array.from({ length: 1000 }, (_, i) => i))
    expect(new Set(results.map((row) => row.wave_status))).toEqual(new Set(['ok']))
    expect(promptOf(box, 'agg')).toContain('1000/1000')
    expect(workerFiles(box)).toEqual([])
    expect(done.megabytes).toBeLessThan(400)
    expect(done.seconds).toBeLessThan(30)
  },
  MINUTES,
)

test(
  `10 000 items wait in their queue while ${LONG ? 'all' : 'some'} run: none is lost, and a stop leaves the rest for --continue`,
  async () => {
    await using box = sandbox()
    const budget = LONG ? 9000 : 200
    manyItems(box, 10_000, { max_agents: budget })
    const done = await measured(box, ['run', '-p', 'X'])
    expect([done.code, reason(box)]).toEqual([2, 'max_agents'])
    expect(done.stderr).toContain(`${budget - 1} of 10000 results settled`)
    const more = LONG ? 10_002 : 300
    const again = await measured(box, ['run', '--continue', '-c', `features.max_agents=${more}`])
    expect([again.code, reason(box)]).toEqual(LONG ? [0, 'completed'] : [2, 'max_agents'])
    const settled = LONG ? 10_000 : more - 1
    const results = await box.ralph(['wave', 'results', theWave(box), '--format', 'json'])
    const rows: { index: number; status: string }[] = JSON.parse(results.stdout)
    expect(rows.map((row) => row.index)).toEqual(Array.from({ length: settled }, (_, i) => i))
    expect(rows.every((row) => row.status === 'ok')).toBe(true)
    expect(Math.max(done.megabytes, again.megabytes)).toBeLessThan(LONG ? 900 : 400)
    if (!LONG) expect(again.seconds).toBeLessThan(20)
  },
  (LONG ? 60 : 10) * MINUTES,
)

describe('what is large', () => {
  test(
    'answers of 6 MB that sixteen programs print at once arrive byte for byte, and are never in memory as a whole',
    async () => {
      await using box = sandbox()
      const command = box.script(
        'prints',
        '#!/bin/sh\nyes "a line of $RALPH_WAVE_INDEX" | head -c 6000000; echo\n',
      )
      const items = Array.from({ length: 16 }, (_, i) => `${i}\n`).join('')
      const done = await measured(
        box,
        ['wave', 'run', '-b', 'custom', '-c', `cli.command=${command}`, '-j', '16', '--trust'],
        { stdin: items },
      )
      expect(done.code).toBe(0)
      const answer = (i: number): string => `a line of ${i}\n`.repeat(600_000).slice(0, 6_000_000).trimEnd()
      const wanted = Array.from({ length: 16 }, (_, i) => `${answer(i)}\n`).join('')
      expect(Bun.hash(done.stdout)).toBe(Bun.hash(wanted))
      expect(done.megabytes).toBeLessThan(260)
    },
    MINUTES,
  )

  test(
    'items of 1 MB and results of 10 MB arrive byte for byte; the aggregator’s prompt has their ends and a path',
    async () => {
      await using box = sandbox()
      configure(box, FW({ hats: { agg: { aggregate: { budget_bytes: 30_000 } } } }))
      const item = (i: number): string => `${i}${'i'.repeat(1_000_000)}`
      box.write('items', [0, 1, 2].map((i) => `${item(i)}\n`).join(''))
      roleScript(box, {
        disp: '"$RALPH_BIN" wave emit item.go --payloads-file items > /dev/null',
        work: `{ printf "head-$RALPH_WAVE_INDEX "; head -c 10000000 /dev/zero | tr '\\0' r; printf " tail-$RALPH_WAVE_INDEX"; } > "result-$RALPH_WAVE_INDEX"
        "$RALPH_BIN" emit item.done --payload-file "result-$RALPH_WAVE_INDEX" < /dev/null > /dev/null`,
      })
      const done = await measured(box, ['run', '-p', 'X'])
      expect([done.code, done.stdout]).toEqual([0, 'ok\n'])
      const prompt = promptOf(box, 'agg')
      expect(prompt.length).toBeLessThan(60_000)
      for (const i of [0, 1, 2]) {
        const kept = rundir(box, 'waves', theWave(box), String(i), 'result-1.txt')
        expect(Bun.hash(box.read(kept))).toBe(Bun.hash(box.read(`result-${i}`)))
        expect(statSync(box.path(kept)).size).toBeGreaterThan(10_000_000)
        for (const part of [`head-${i} rrr`, `rrr tail-${i}`, `${theWave(box)}/${i}/result-1.txt`])
          expect(prompt).toContain(part)
        expect(promptOf(box, `work:${i}`)).toContain(item(i))
      }
      expect(done.megabytes).toBeLessThan(600)
    },
    MINUTES,
  )
})
