import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'

const CONFIG = `
event_loop: { starting_event: work.start, completion_promise: ALL_DONE }
cli: { backend: mock }
adapters: { mock: { script: script.yml } }
hats:
  disp: { name: Disp, description: d, triggers: [work.start], publishes: [item.go] }
  work: { name: Work, description: w, triggers: [item.go], publishes: [item.done, item.skipped], concurrency: 3 }
  agg: { name: Agg, description: a, triggers: [item.done, item.skipped], publishes: [ALL_DONE], aggregate: { mode: wait_for_all } }
`

/** Item 0 forgets once, item 1 for good, item 2 never. */
const SCRIPT = `
hats:
  disp: [{ wave: { topic: item.go, payloads: [a, b, c] } }]
  work:
    items:
      0:
        steps: [{ say: All fine. }, { cost: 1 }]
        nudged:
          - run: echo "$RALPH_WAVE_INDEX $ATTEMPT" > asked.txt
          - emit: { topic: item.skipped, payload: 'late {payload}' }
          - cost: 2
      1: { steps: [{ say: All fine. }], nudged: [{ say: Still fine. }] }
      2: [{ emit: { topic: item.done, payload: c } }]
  agg: [{ emit: { topic: ALL_DONE, payload: end } }]
`

describe('a worker that forgot its result', () => {
  test.concurrent('is asked once more in the same conversation before it counts as empty', async () => {
    await using box = sandbox()
    box.write('ralph.yml', CONFIG)
    box.write('script.yml', SCRIPT)

    const run = await box.ralph(['run', '-p', 'X'])

    expect(run, run.stderr).toMatchObject({ code: 0, stdout: 'end\n' })
    expect(run.stderr).toContain('↻ Worker 1/3 asked once more for its result — a')
    expect(run.stderr).toContain('✗ Worker 2/3 failed')
    expect(box.read('asked.txt')).toBe('0 2\n')
    const [first, second, third] = outcomesOf(box)
    expect(first).toMatchObject({ status: 'ok', attempts: 2, remarks: ['asked once more for its result'] })
    expect(second).toMatchObject({ status: 'empty', attempts: 2 })
    expect(third).toMatchObject({ status: 'ok', attempts: 1 })
    expect(run.stderr).toContain('cost $3.00')
    const asked = box.read(`${waveFolder(box)}/0/prompt.2.md`)
    expect(asked).toContain("ralph emit item.skipped --stdin <<'RALPH_EOF'")
    expect(asked).not.toContain('Wave context')
  })

  test.concurrent('is told to programs as an event of its own', async () => {
    await using box = sandbox()
    box.write('ralph.yml', CONFIG)
    box.write('script.yml', SCRIPT)

    const { stdout } = await box.ralph(['run', '-p', 'X', '--json'])

    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const asked = events.filter(({ type, code }) => type === 'error' && code === 'nudge')
    expect(asked.map(({ wave_index }) => wave_index).sort()).toEqual([0, 1])
    const starts = events.filter(({ type, attempt }) => type === 'wave_worker_started' && attempt === 2)
    expect(starts).toHaveLength(2)
  })
})

/** The folder of the run's one wave, relative to the workspace. */
function waveFolder(box: Sandbox): string {
  const [run = ''] = readdirSync(box.path('.ralph/runs'))
  const [wave = ''] = readdirSync(box.path('.ralph/runs', run, 'waves'))
  return `.ralph/runs/${run}/waves/${wave}`
}

function outcomesOf(box: Sandbox): Record<string, unknown>[] {
  return [0, 1, 2].map(
    (index) => JSON.parse(box.read(`${waveFolder(box)}/${index}/outcome.json`)) as Record<string, unknown>,
  )
}
