import { describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { atMost } from '../helpers/at-most.ts'
import { sandbox, until } from '../helpers/sandbox.ts'
import { createRandom } from '../sim/random.ts'
import { crashRound } from './round.ts'

const place = atMost(4)

describe('a real run that is killed with KILL at random moments and continued', () => {
  test.concurrent.each(Array.from({ length: 20 }, (_, i) => i + 1))(
    'completes with one outcome for each item, each result merged once and in order, nothing settled run again, and nothing left running (round %d)',
    (seed) =>
      place(async () => {
        expect((await crashRound(createRandom(seed))).faults).toEqual([])
      }),
  )
})

test.concurrent('what a cut worker wrote behind a line that is no event is not lost (case 144)', () =>
  place(async () => {
    await using box = sandbox()
    box.write(
      'ralph.yml',
      `cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
event_loop: {starting_event: work.start}
hats:
  disp: {name: disp, description: d, triggers: [work.start], publishes: [item.go]}
  work: {name: work, description: d, triggers: [item.go], publishes: [item.done], concurrency: 2}
  agg: {name: agg, description: d, triggers: [item.done], publishes: [LOOP_COMPLETE],
    aggregate: {mode: wait_for_all}, instructions: SUM-THEM-UP}
`,
    )
    box.script(
      'agent.sh',
      `#!/bin/bash
prompt=$(cat)
if [ -z "$RALPH_WAVE_WORKER" ]; then
  case $prompt in *SUM-THEM-UP*) echo "$prompt" > sum; ralph emit LOOP_COMPLETE done ;; *) ralph wave emit item.go --payloads a ;; esac
  exit
fi
echo '{' >> "$RALPH_EVENTS_FILE"
ralph emit item.done first
sleep 300
`,
    )
    const run = box.start(['run', '-q', '-p', 'X'])
    const journal = (): string => {
      const runs = `${box.home}/.local/state/ralph/runs`
      return `${runs}/${box.read('.ralph/current-loop-id').trim()}/journal.jsonl`
    }
    await until('both lines in the journal', () => {
      if (!box.exists('.ralph/current-loop-id')) return false
      return existsSync(journal()) && readFileSync(journal(), 'utf8').includes('first')
    })
    run.kill('SIGKILL')
    await run.finished
    const file = readdirSync(box.path('.ralph')).find((name) => /^wave-.*-0\.jsonl$/.test(name))
    appendFileSync(box.path('.ralph', `${file}`), '{"topic":"item.done","payload":"second"}\n')

    expect((await box.ralph(['run', '--continue', '-q'])).code).toBe(0)
    expect(box.read('sum')).toContain('first')
    expect(box.read('sum')).toContain('second')
  }))
