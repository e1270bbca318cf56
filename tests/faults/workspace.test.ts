import { describe, expect, test } from 'bun:test'
import {
  agentScript,
  configure,
  F,
  FW,
  main,
  prompt,
  reason,
  roleScript,
  run,
  runEvents,
  starts,
} from '../e2e/fixtures.ts'
import { carriers, MEETING } from '../e2e/waves.ts'
import { type Finished, sandbox } from '../helpers/sandbox.ts'

/** Long enough for a follower to have read what stands there. */
const SEEN = 'sleep 0.5'

describe.concurrent('an events file that is changed while it is followed delivers each event once:', () => {
  test.each([
    ['its last lines are cut off', 'sed \'$d\' "$F" > kept; cat kept > "$F"', []],
    ['it is emptied', ': > "$F"', []],
    ['an older copy comes back', 'head -n 2 "$F" > kept; cp kept "$F.new"; mv "$F.new" "$F"', []],
    [
      'a line is edited in place',
      `sed s/first/edited/ "$F" > kept; : > "$F"; ${SEEN}; cat kept > "$F"`,
      ['edited'],
    ],
    ['a line is edited in one go', `sed s/first/edited/ "$F" > kept; cat kept > "$F"`, ['edited']],
    ['a line is edited by an editor', 'sed -i s/first/edited/ "$F"', ['edited']],
    ['lines are sorted another way', 'tac "$F" > kept; cat kept > "$F"', []],
  ])('%s', async (_, act, more) => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, [
      `F="$RALPH_EVENTS_FILE"; EMIT a first; EMIT b second; EMIT c third; ${SEEN}; ${act}; ${SEEN}; EMIT d fourth`,
    ])
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    expect(payloads(done)).toEqual(['first', 'second', 'third', ...more, 'fourth'])
  })
})

/** What agents' events delivered, in order. */
const payloads = (done: Finished): unknown[] =>
  runEvents(done)
    .filter((event) => event.type === 'orchestration_event' && event.source !== 'loop')
    .map((event) => event.payload)

test('a line without a time that is written again after the file was emptied is another event', async () => {
  await using box = sandbox()
  configure(box, F())
  const line = `echo '{"topic":"a","payload":"same"}' >> "$RALPH_EVENTS_FILE"`
  agentScript(box, [`${line}; ${SEEN}; : > "$RALPH_EVENTS_FILE"; ${SEEN}; ${line}`])
  expect(payloads(await run(box, ['--json']))).toEqual(['same', 'same'])
})

test('a marker that points nowhere: `ralph emit` says what it makes, and the run puts the marker right', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, [
    `echo .ralph/nowhere.jsonl > .ralph/current-events
    (unset RALPH_EVENTS_FILE; "$RALPH_BIN" emit lost x 2> note); EMIT go x`,
    'SAY LOOP_COMPLETE',
  ])
  const done = await run(box)
  expect([done.code, reason(box)]).toEqual([0, 'completed'])
  expect(box.read('note')).toMatch(/^Note: .*current-events names .*nowhere\.jsonl, which was not there/)
  expect(main(box)).toMatch(/events-\d/)
  expect(prompt(box, 2)).toContain('Event: go - x')
})

test('a workspace that goes away in the middle of a wave ends the workers, and the run says which folder it was', async () => {
  await using box = sandbox()
  configure(box, FW())
  roleScript(box, { work: `${MEETING} MEET there 3; cd /; rm -rf "$RALPH_WORKSPACE_ROOT"; exec sleep 300` })
  const done = await run(box)
  expect([done.code, done.stdout]).toEqual([1, ''])
  expect(done.stderr).toContain(`error: the workspace ${box.dir} is gone`)
  expect(done.stderr).toContain('Run ended: workspace_gone | exit 1')
  expect(box.exists('.')).toBe(false)
  expect(starts(box)).toBe(4)
  expect(carriers(box.dir)).toEqual([])
})
