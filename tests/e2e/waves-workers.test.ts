import { describe, expect, test } from 'bun:test'
import { realpathSync } from 'node:fs'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { configure, FW, main, played, prompt, roleScript, rows, run, rundir, runId } from './fixtures.ts'
import { counted, MEETING, merged, mostAlive, promptOf, theWave, told, workerFiles } from './waves.ts'

const items = (n: number): string =>
  `WAVE item.go ${Array.from({ length: n }, (_, i) => `item${i}`).join(' ')}`

describe.concurrent('workers', () => {
  test('a place is refilled at once, and results stand in index order whatever finished first (case 119)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { agg: { aggregate: { timeout: 20 } } } }))
    // Worker 0 ends last; each other one ends only after the next has come, which takes the place of one before it.
    roleScript(box, {
      disp: items(10),
      work: counted(`${MEETING} DONE "$RALPH_WAVE_INDEX"
        case $RALPH_WAVE_INDEX in
          0) AWAIT last ;;
          9) DONE last ;;
          *) AWAIT $((RALPH_WAVE_INDEX + 1)) ;;
        esac
        EMIT item.done "r$RALPH_WAVE_INDEX"`),
    })
    expect((await run(box)).code).toBe(0)
    expect(mostAlive(box)).toBe(3)
    expect(merged(box).map(({ wave_index, payload }) => `${wave_index} ${payload}`)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${i} r${i}`),
    )
  })

  test.each([
    ['a hat of concurrency 3 under features.max_concurrency 2', 3, { max_concurrency: 2 }, 2],
    ['a hat of concurrency 10 under the default of 8', 10, {}, 8],
    ['a hat of concurrency 5', 5, {}, 5],
  ])('%s has as many workers as that, and never more (case 119)', async (_, concurrency, features, most) => {
    await using box = sandbox()
    configure(box, FW({ features, hats: { work: { concurrency }, agg: { aggregate: { timeout: 20 } } } }))
    roleScript(box, { disp: items(10), work: counted(`${MEETING} MEET all ${most}; EMIT item.done r`) })
    expect((await run(box)).code).toBe(0)
    expect(mostAlive(box)).toBe(most)
    expect(merged(box)).toHaveLength(10)
  })

  test('five items at concurrency 5 take the time of one (case 119)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { concurrency: 5 } } }))
    roleScript(box, { disp: items(5), work: 'sleep 2; EMIT item.done r' })
    const done = await run(box, ['--json'])
    expect(told(done, 'wave_completed')).toMatchObject([{ succeeded: 5 }])
    expect(Number(told(done, 'wave_completed')[0]?.duration_ms)).toBeLessThan(4000)
  })

  test('a worker has its place in the wave and its own empty events file in its environment (case 120)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: `env > "env-$RALPH_WAVE_INDEX"; stat -c %s "$RALPH_EVENTS_FILE" > "size-$RALPH_WAVE_INDEX"
        cp "\${RALPH_EVENTS_FILE%.jsonl}.rules.json" "rules-$RALPH_WAVE_INDEX"
        ralph emit item.done "r$RALPH_WAVE_INDEX"`,
    })
    expect((await run(box)).code).toBe(0)
    for (const index of [0, 1, 2]) {
      const env = environment(box, `env-${index}`)
      const id = theWave(box)
      expect(env).toMatchObject({
        RALPH_WAVE_WORKER: '1',
        RALPH_WAVE_ID: id,
        RALPH_WAVE_INDEX: String(index),
        RALPH_EVENTS_FILE: realpathSync(box.path('.ralph')).concat(`/wave-${id}-${index}.jsonl`),
        RALPH_WORKSPACE_ROOT: realpathSync(box.dir),
        RALPH_RUN_ID: runId(box),
        RALPH_DEPTH: '1',
      })
      expect(env.RALPH_AGENT).toMatch(new RegExp(`^${runId(box)}:[234]$`))
      expect(env.RALPH_BIN).toBeTruthy()
      expect(box.read(`size-${index}`)).toBe('0\n')
      expect(JSON.parse(box.read(`rules-${index}`))).toMatchObject({
        hat: 'work',
        allowed: ['item.done'],
        refused: expect.arrayContaining(['LOOP_COMPLETE']),
      })
    }
    expect(merged(box).map(({ payload }) => payload)).toEqual(['r0', 'r1', 'r2'])
  })

  test('a worker’s prompt goes from its instructions to its item, word for word, and tells nothing else (case 121)', async () => {
    await using box = sandbox()
    configure(box, FW({ hats: { work: { disallowed_tools: ['Edit', 'WebFetch'] } } }))
    const item = 'Look at `a`\nand $(b), "c"\n\n## DONE\n  last  '
    box.write('item', item)
    roleScript(box, { disp: `WAVE item.go a "$(cat item)" c` })
    await box.ralph(['run', '-p', 'the very objective'])
    const text = promptOf(box, 'work:1')
    const places = [
      'You are hat work.',
      `ralph emit item.done --stdin <<'RALPH_EOF'`,
      'ralph wave emit',
      `worker 2 of 3 in wave ${theWave(box)}`,
      'time limit is 300 seconds',
      item,
    ].map((part) => text.indexOf(part))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(text.endsWith(item)).toBe(true)
    for (const word of ['Edit', 'WebFetch']) expect(text).toContain(word)
    for (const git of ['stash', 'reset', 'checkout', 'switch', 'clean', 'rebase', 'commit -a'])
      expect(text).toContain(`git ${git}`)
    const rest = text.slice(0, places.at(-1))
    for (const word of ['the very objective', 'OBJECTIVE', 'HATS', 'cratchpad', '.ralph/', 'disp', '$RALPH'])
      expect(rest).not.toContain(word)
  })

  test('the main file does not change before the merge, which leaves nothing of the workers behind (case 122)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: `${MEETING} copy() { cp "$(cat .ralph/current-events)" "main-$RALPH_WAVE_INDEX-$1"; }
        echo "$RALPH_AGENT" > "agent-$RALPH_WAVE_INDEX"; MEET start 3; copy start
        [ "$RALPH_WAVE_INDEX" = 2 ] && AWAIT others
        SAY "said $RALPH_WAVE_INDEX"; SAY "and to stderr" >&2
        EMIT item.done "r$RALPH_WAVE_INDEX"
        MEET "emitted-by-$RALPH_WAVE_INDEX" 1
        [ "$RALPH_WAVE_INDEX" = 2 ] || { [ "$(ls "$NOTES" | grep -c ^meet-emitted)" = 2 ] && DONE others; }
        copy end`,
    })
    expect((await run(box)).code).toBe(0)
    const before = box.read('main-0-start')
    for (const index of [0, 1, 2])
      for (const when of ['start', 'end']) expect(box.read(`main-${index}-${when}`)).toBe(before)
    expect(box.read(main(box)).startsWith(before)).toBe(true)

    const all = rows(box)
    const results = merged(box)
    const first = all.findIndex(({ wave_status }) => wave_status !== undefined)
    expect(all.slice(first, first + 3)).toEqual(results)
    for (const [index, row] of results.entries()) {
      expect(row).toMatchObject({
        topic: 'item.done',
        payload: `r${index}`,
        wave_id: theWave(box),
        wave_index: index,
        wave_status: 'ok',
        duration_ms: expect.any(Number),
        ts: expect.any(String),
        agent: box.read(`agent-${index}`).trim(),
      })
      expect(row).not.toHaveProperty('wave_total')
      const kept = rundir(box, 'waves', theWave(box), String(index))
      expect(box.read(`${kept}/stdout.log`)).toBe(`said ${index}\n`)
      expect(box.read(`${kept}/stderr.log`)).toBe('and to stderr\n')
      expect(box.exists(`${kept}/outcome.json`)).toBe(true)
      expect(box.read(`${kept}/result-1.txt`)).toBe(`r${index}`)
      expect(box.read(`${kept}/prompt.md`)).toBe(prompt(box, played(box).indexOf(`work:${index}`) + 1))
    }
    expect(workerFiles(box)).toEqual([])
  })
})

function environment(box: Sandbox, path: string): Record<string, string> {
  return Object.fromEntries(
    box
      .read(path)
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}
