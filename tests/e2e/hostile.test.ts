import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sandbox, until } from '../helpers/sandbox.ts'
import { agentScript, configure, F, FW, main, reason, roleScript, rows, run, runEvents } from './fixtures.ts'
import { merged, outcome } from './waves.ts'

describe.concurrent('a worker that spoils its own events file', () => {
  test.each([
    ['a folder', 'mkdir "$RALPH_EVENTS_FILE"'],
    ['a link', 'ln -s /etc/passwd "$RALPH_EVENTS_FILE"'],
  ])('with %s in its place fails alone: its siblings finish and the run goes on', async (_, spoil) => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: {
        0: `rm "$RALPH_EVENTS_FILE"; ${spoil}; sleep 0.4`,
        else: 'EMIT item.done "r$RALPH_WAVE_INDEX"',
      },
    })
    const done = await run(box)
    expect([done.code, done.stdout]).toEqual([0, 'ok\n'])
    expect(merged(box, 'item.done').filter((row) => row.wave_status === 'ok')).toHaveLength(2)
    expect(outcome(box, 0).remarks.join()).toContain('cannot be read')
    expect(box.exists('.ralph/current-events')).toBe(true)
  })
})

describe.concurrent('where files of a run cannot be made', () => {
  test('items fail as those whose program cannot be started, and the run ends with its word', async () => {
    await using box = sandbox()
    configure(box, FW({ features: { max_concurrency: 1 } }))
    roleScript(box, { work: { 0: 'EMIT item.done r0; rm -rf .ralph; touch .ralph' } })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(1)
    const ended = runEvents(done).filter((event) => event.type === 'loop_terminated')
    expect(ended).toMatchObject([{ reason: 'io_error', exit_code: 1 }])
  })
})

test('a stop file that is a folder stops the run like any other (case 88)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, 'mkdir .ralph/stop-requested; EMIT go')
  expect((await run(box)).code).toBe(1)
  expect(reason(box)).toBe('stopped')
})

test('an editor’s copy in place of the events file delivers nothing twice', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, [
    'EMIT one; EMIT two; sleep 0.5; sed -i s/one/one/ "$RALPH_EVENTS_FILE"; sleep 0.5; EMIT three',
  ])
  const done = await run(box, ['--json'])
  const delivered = runEvents(done).filter((event) => event.type === 'orchestration_event')
  expect(delivered.map((event) => event.topic)).toEqual(['task.start', 'one', 'two', 'three'])
  expect(rows(box, 'one')).toHaveLength(1)
})

test('a run that waits with --exclusive does not begin beside one whose lock file was deleted and made anew (case 31)', async () => {
  await using box = sandbox()
  configure(box, F({ event_loop: { max_iterations: 3 } }))
  const stay = `until [ -e "$NOTES/go" ]; do sleep 0.05; done`
  agentScript(box, [
    'until [ -e gone ]; do sleep 0.05; done; EMIT next',
    `touch second; ${stay}; SAY LOOP_COMPLETE`,
  ])
  const first = box.start(['run', '-p', 'X'])
  await until('the first run', () => box.exists('.ralph/current-events'))
  const waiting = box.start(['run', '-p', 'Y', '--exclusive'])
  await until('a waiting run', () => waiting.pid > 0 && isWaiting(waiting.pid, box.path('.ralph/loop.lock')))
  const marker = main(box)
  rmSync(box.path('.ralph'), { recursive: true })
  box.write('gone', '')
  await until('the second iteration', () => box.exists('second'))
  await Bun.sleep(600)
  expect(main(box)).toBe(marker)
  box.write('../agent/go', '')
  expect((await first.finished).code).toBe(0)
  expect((await waiting.finished).code).toBe(0)
  expect(main(box)).not.toBe(marker)
})

/** True once a process holds this file open. */
function isWaiting(pid: number, file: string): boolean {
  const found = Bun.spawnSync(['sh', '-c', `ls -l /proc/${pid}/fd 2>/dev/null | grep -q '${file}'`])
  return found.exitCode === 0
}

test('Ctrl-Z stops the agents too, and their time stands still until they are continued', async () => {
  await using box = sandbox()
  configure(box, FW({ hats: { work: { timeout: 2 } } }))
  roleScript(box, {
    disp: 'WAVE item.go a',
    work: 'for i in 1 2 3 4 5 6 7 8; do echo tick >> ticks; sleep 0.1; done; EMIT item.done r',
  })
  const going = box.start(['run', '-p', 'X'])
  await until('a worker', () => box.exists('ticks'))
  going.kill('SIGTSTP')
  await until('a stopped run', () => stateOf(going.pid) === 'T')
  const ticks = box.read('ticks')
  await Bun.sleep(2200)
  expect(box.read('ticks')).toBe(ticks)
  going.kill('SIGCONT')
  const done = await going.finished
  expect([done.code, done.stdout]).toEqual([0, 'ok\n'])
  expect(outcome(box, 0).status).toBe('ok')
})

/** The state letter of a process. */
function stateOf(pid: number): string {
  const stat = Bun.spawnSync(['cat', join('/proc', String(pid), 'stat')]).stdout.toString()
  return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? ''
}
