import { describe, expect, test } from 'bun:test'
import { sandbox, until } from '../helpers/sandbox.ts'
import {
  agentScript,
  configure,
  F,
  FC,
  main,
  prompt,
  reason,
  rows,
  run,
  rundir,
  runId,
  starts,
} from './fixtures.ts'

describe('the events file of a run', () => {
  test.concurrent('is named by the marker, and begins and ends with rows of the loop (case 26)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, ['EMIT note.a', 'SAY LOOP_COMPLETE'])
    await run(box)
    expect(box.read('.ralph/current-events')).toMatch(/^\.ralph\/events-\d{8}-\d{6}\.jsonl\n$/)
    const all = rows(box)
    expect(all[0]).toMatchObject({
      hat: 'loop',
      iteration: 0,
      triggered: 'planner',
      topic: 'task.start',
      payload: 'X',
    })
    expect(rows(box, 'iteration.summary').map((row) => row.iteration)).toEqual([1, 2])
    expect(all.at(-1)).toMatchObject({ hat: 'loop', topic: 'loop.terminate' })
    expect(all.at(-1)?.payload).toMatch(/## Reason\ncompleted\n[\s\S]*## Status\n[\s\S]*Exit code: 0/)
  })

  test.concurrent('is a new one in every run, and older ones stay as they are (cases 27, 28)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    box.write('.ralph/events-20200101-000000.jsonl', '{"topic":"old"}\n')
    box.write('.ralph/current-events', '.ralph/events-20200101-000000.jsonl\n')
    const names: string[] = []
    const texts: string[] = []
    for (let k = 0; k < 12; k++) {
      await run(box)
      names.push(main(box))
      texts.push(box.read(main(box)))
    }
    expect(new Set(names).size).toBe(12)
    expect(names.map((name) => box.read(name))).toEqual(texts)
    const again = names.findIndex((name) => name.endsWith('-2.jsonl'))
    expect(names[again]).toBe(names[again - 1]?.replace('.jsonl', '-2.jsonl'))
    expect(box.read('.ralph/events-20200101-000000.jsonl')).toBe('{"topic":"old"}\n')
  })
})

test.concurrent('a fresh run moves scratchpads to the run before it (case 29)', async () => {
  await using box = sandbox()
  configure(box, FC({ hats: { b: { scratchpad: '.ralph/agent/b.md' } } }))
  agentScript(box, [
    'mkdir -p .ralph/agent; echo one > .ralph/agent/scratchpad.md; EMIT b.go',
    'SAY LOOP_COMPLETE',
  ])
  await run(box)
  box.write('.ralph/agent/b.md', 'two\n')
  box.write('.ralph/agent/other.md', 'three\n')
  const earlier = rundir(box, 'scratchpads')
  await run(box)
  expect(box.exists('.ralph/agent/scratchpad.md')).toBe(false)
  expect(box.exists('.ralph/agent/b.md')).toBe(false)
  expect(box.read('.ralph/agent/other.md')).toBe('three\n')
  expect((await box.sh(`cat ${earlier}/*`)).stdout.split('\n').sort()).toEqual(['', 'one', 'two'])
})

test.concurrent('a scratchpad outside .ralph/ stays, which is said (case 29)', async () => {
  await using box = sandbox()
  configure(box, F({ core: { scratchpad: './notes.md' } }))
  agentScript(box, 'SAY LOOP_COMPLETE')
  box.write('notes.md', 'my notes\n')
  const done = await run(box)
  expect(box.read('notes.md')).toBe('my notes\n')
  expect(done.stderr).toContain('notes.md')
  expect(prompt(box, 1)).toContain('my notes')
})

test.concurrent('a run has an id, and a journal (case 30)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, 'SAY LOOP_COMPLETE')
  await run(box)
  expect(runId(box)).toMatch(/^primary-\d{8}-\d{6}-[0-9a-f]{8}$/)
  expect(box.rows(rundir(box, 'journal.jsonl')).length).toBeGreaterThan(3)
})

test.concurrent('one run per workspace: a second one names the first, or waits for it (case 31)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, ['until [ -e go ]; do sleep 0.02; done; SAY LOOP_COMPLETE'])
  await box.sh('git init -q')
  const first = box.start(['run', '-p', 'X'])
  await until('the first agent', () => starts(box) === 1)
  const second = await run(box)
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(String(first.pid)) })
  const third = box.start(['run', '-p', 'X', '--exclusive'])
  await Bun.sleep(300)
  expect(starts(box)).toBe(1)
  box.write('go', '')
  expect((await first.finished).code).toBe(0)
  expect((await third.finished).code).toBe(0)
  expect(starts(box)).toBe(2)
  expect((await box.sh('git worktree list')).stdout.trim().split('\n')).toHaveLength(1)
})

test.concurrent('Git is only looked at (case 32)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, 'SAY LOOP_COMPLETE')
  const git = 'git -c user.name=t -c user.email=t@example.org'
  await box.sh(
    `echo ralph.yml > .gitignore; echo agent.sh >> .gitignore; echo 1 > f; git init -q; git add f .gitignore; ${git} commit -qm one; echo 2 > f; ${git} stash -q; echo 3 > f; echo 4 > g`,
  )
  const look = async () =>
    (await box.sh('git stash list; git log --oneline; git branch -a; git status --porcelain -uall; cat f g'))
      .stdout
  const before = await look()
  expect(before).toContain('stash@{0}')
  expect((await run(box)).code).toBe(0)
  expect(reason(box)).toBe('completed')
  expect(await look()).toBe(before)
})
