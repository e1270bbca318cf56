import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { sandbox, until } from '../helpers/sandbox.ts'

/** Commands of living processes that carry a run's id in their environment. */
function marked(runId: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        const isAlive = !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        if (!isAlive || !environment.includes(`RALPH_RUN_ID=${runId}`)) return []
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
      } catch {
        return []
      }
    })
}

const CONFIG = `
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
event_loop: {starting_event: work.start}
hats:
  disp: {name: disp, description: d, triggers: [work.start], publishes: [item.go]}
  work: {name: work, description: d, triggers: [item.go], publishes: [item.done], concurrency: 4}
  agg: {name: agg, description: d, triggers: [item.done], publishes: [LOOP_COMPLETE], aggregate: {mode: wait_for_all}}
`

/** Each worker ignores TERM and leaves a child, a child in a session of its own, and a double fork that ignores TERM too. */
const AGENT = `#!/bin/bash
cat >/dev/null
if [ -z "$RALPH_WAVE_WORKER" ]; then ralph wave emit item.go --payloads a b c d; exit; fi
trap '' TERM
setsid sleep 300 &
( setsid bash -c 'trap "" TERM; sleep 300; sleep 300' & )
sleep 300 &
touch "up-$RALPH_WAVE_INDEX"
wait
sleep 300
`

test.concurrent.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'after %s of ralph alone nothing of its run is left within two seconds',
  async (signal) => {
    await using box = sandbox()
    box.write('ralph.yml', CONFIG)
    box.script('agent.sh', AGENT)
    const run = box.start(['run', '-q', '-p', 'X'])
    await until('four workers', () => [0, 1, 2, 3].every((i) => box.exists(`up-${i}`)))
    const runId = box.read('.ralph/current-loop-id').trim()
    expect(marked(runId).length).toBeGreaterThanOrEqual(12)
    run.kill(signal)
    await until(`the end of all processes after ${signal}`, () => marked(runId).length === 0, 2000)
    await run.finished
  },
)
