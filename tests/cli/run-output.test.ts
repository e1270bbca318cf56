import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Sandbox, sandbox } from '../helpers/sandbox.ts'

/** A dispatcher, three workers of which the second one fails, an aggregator: each says with `$ROLE` what it is. */
function waveWorkspace(box: Sandbox): void {
  box.write(
    'ralph.yml',
    `cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
event_loop: {starting_event: work.start}
hats:
  disp: {name: Dispatcher, description: d, triggers: [work.start], publishes: [item.go]}
  work: {name: "Wor\\e[2Jker", description: w, triggers: [item.go], publishes: [item.done], concurrency: 3}
  agg: {name: Aggregator, description: a, triggers: [item.done], publishes: [LOOP_COMPLETE], aggregate: {mode: wait_for_all, timeout: 60}}
`,
  )
  box.script(
    'agent.sh',
    `#!/bin/bash
prompt=$(cat)
if [ -n "$RALPH_WAVE_WORKER" ]; then
  [ "$RALPH_WAVE_INDEX" = 1 ] && { echo boom >&2; exit 7; }
  exec "$RALPH_BIN" emit item.done "r$RALPH_WAVE_INDEX"
fi
printf '\\033]0;x\\007\\033[2Jtext of an agent\\n'
if grep -q 'item.done from' <<<"$prompt"; then "$RALPH_BIN" emit LOOP_COMPLETE ok
else "$RALPH_BIN" wave emit item.go --payloads a b c; fi >/dev/null
`,
  )
}

describe('the output of ralph run', () => {
  test('stderr tells the wave as it goes, stdout has only the result', async () => {
    await using box = sandbox()
    waveWorkspace(box)
    const done = await box.ralph(['run', '-p', 'X'])
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(done.stderr).toContain('program  custom (./agent.sh): ')
    expect(done.stderr).toContain('no cost limit')
    expect(done.stderr).toMatch(/── WAVE: Worker \| 3 workers \| timeout 60s ──/)
    expect(done.stderr).toMatch(/ {2}✓ Worker 1\/3 done \([\d.]+s\) — a\n/)
    expect(done.stderr).toMatch(/── Wave complete: 2 succeeded, 1 failed \([\d.]+s\) ──/)
    const log = / {2}✗ Worker 2\/3 failed \([\d.]+s\) \[failed\] — b — (\S+)\n/.exec(done.stderr)?.[1] ?? ''
    expect(existsSync(log) || box.exists(log)).toBe(true)
    expect(done.stderr).toMatch(
      /── Run ended: completed \| exit 0 \| 2 iterations \| .* \| cost unknown ──\n$/,
    )
    expect(done.stderr).not.toMatch(/[\x1b\x07]/)
  })

  test('-q leaves warnings, errors and the closing line', async () => {
    await using box = sandbox()
    waveWorkspace(box)
    const done = await box.ralph(['run', '-q', '-p', 'X'])
    expect(done.stderr).not.toContain('no cost limit')
    expect(done.stderr).not.toContain('── WAVE')
    expect(done.stderr).not.toContain('text of an agent')
    expect(done.stderr).toMatch(/── Run ended: completed \| exit 0/)
  })

  test('--json is run events from loop_started to loop_terminated, with the counts of the account', async () => {
    await using box = sandbox()
    waveWorkspace(box)
    const done = await box.ralph(['run', '--json', '-p', 'X'])
    const events = done.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ type: 'loop_started', prompt: 'X' })
    expect(events.at(-1)).toMatchObject({
      type: 'loop_terminated',
      reason: 'completed',
      exit_code: 0,
      result: 'ok',
    })
    const of = (type: string) => events.filter((event) => event.type === type)
    expect(of('wave_started')).toMatchObject([{ worker_count: 3, timeout_secs: 60, hats: ['work'] }])
    expect(of('wave_worker_done').filter((event) => event.success)).toHaveLength(2)
    expect(of('wave_completed')).toMatchObject([
      { succeeded: 2, failed: 1, wave_id: of('wave_started')[0].wave_id },
    ])
    expect(done.stdout).toContain('\\u001b]0;x\\u0007')
  })

  test('RALPH_DIAGNOSTICS=1 keeps the rows of the wave and every prompt', async () => {
    await using box = sandbox()
    waveWorkspace(box)
    await box.ralph(['run', '-p', 'X'], { env: { RALPH_DIAGNOSTICS: '1' } })
    const id = box.read('.ralph/current-loop-id').trim()
    const types = box.rows(`.ralph/diagnostics/${id}/orchestration.jsonl`).map((row) => String(row.type))
    const count = (type: string) => types.filter((other) => other === type).length
    expect(count('WaveStarted')).toBe(1)
    expect(count('WaveInstanceStarted')).toBe(3)
    expect(count('WaveInstanceCompleted')).toBe(2)
    expect(count('WaveInstanceFailed')).toBe(1)
    expect(count('WaveCompleted')).toBe(1)
    expect(box.read(`.ralph/diagnostics/${id}/prompt-log.md`)).toContain('OBJECTIVE')
  })

  test('-v shows each prompt on stderr', async () => {
    await using box = sandbox()
    waveWorkspace(box)
    const done = await box.ralph(['run', '-v', '-p', 'the very objective'])
    expect(done.stderr).toContain('── Prompt: ')
    expect(done.stderr).toContain('the very objective')
  })
})
