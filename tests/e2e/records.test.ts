import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { configure, FW, roleScript, rows, run, runId } from './fixtures.ts'
import { merged, outcome, promptOf, told, waves } from './waves.ts'

/** A worker that loses what tells it its own events file; the second one even its whole environment. */
const LOST = 'env -u RALPH_EVENTS_FILE -u RALPH_WAVE_ID -u RALPH_WAVE_INDEX -u RALPH_WAVE_WORKER ralph'
const BARE = 'env -i PATH="$PATH" ralph'

describe.concurrent('a worker that lost its environment', () => {
  test.each([
    ['of the wave', LOST],
    ['altogether (Linux)', BARE],
  ])('%s: its line counts as its own, merged once and delivered once (case 195)', async (_, ralph) => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: { 1: `${ralph} emit item.done r1 < /dev/null`, else: 'EMIT item.done "r$RALPH_WAVE_INDEX"' },
    })
    const done = await run(box)
    expect(done).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(outcome(box, 1)).toMatchObject({ status: 'ok' })
    const own = rows(box, 'item.done').filter((row) => row.payload === 'r1')
    expect(own).toMatchObject([
      { agent: expect.stringMatching(new RegExp(`^${runId(box)}:\\d+$`)) },
      { wave_status: 'ok', wave_index: 1 },
    ])
    expect(promptOf(box, 'agg').match(/\br1\b/g)).toHaveLength(1)
  })

  test('is held to its rules all the same, and its outcome names what was refused (case 195)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: {
        1: `${LOST} emit zzz x < /dev/null; EMIT item.done r1`,
        else: 'EMIT item.done "r$RALPH_WAVE_INDEX"',
      },
    })
    expect((await run(box)).code).toBe(0)
    expect(outcome(box, 1)).toMatchObject({ status: 'ok', remarks: [expect.stringContaining('zzz')] })
    expect(merged(box, 'zzz')).toEqual([])
    expect(promptOf(box, 'agg')).not.toMatch(/^Event: zzz/m)
  })

  test('cannot dispatch a wave that way either (case 195)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: {
        1: `${LOST} wave emit item.go --payloads x y < /dev/null; EMIT item.done r1`,
        else: 'EMIT item.done "r$RALPH_WAVE_INDEX"',
      },
    })
    expect((await run(box)).code).toBe(0)
    expect(waves(box)).toHaveLength(1)
    expect(outcome(box, 1)).toMatchObject({ status: 'ok', remarks: [expect.stringContaining('wave')] })
  })
})

describe.concurrent('the workspace of a wave', () => {
  const git = 'git -c user.name=a -c user.email=a@b'
  const prepare = `git init -q . && echo 1 > tracked && ${git} add tracked && ${git} commit -qm one`

  test('that a worker changed is told to the aggregator in one line, and to programs (case 197)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, {
      work: {
        1: `echo 2 > tracked; ${git} stash -q; echo 3 > tracked; ${git} commit -qam two
          for i in $(seq 25); do echo x > "new-$i"; done; EMIT item.done r1`,
        else: 'EMIT item.done "r$RALPH_WAVE_INDEX"',
      },
    })
    await box.sh(prepare)
    const done = await run(box, ['--json'])
    expect(done.code).toBe(0)
    const [completed] = told(done, 'wave_completed')
    expect(completed).toMatchObject({ workspace_changed: { head: true, stash: true, files: 25 } })
    expect((completed as { workspace_changed: { paths: string[] } }).workspace_changed.paths).toHaveLength(20)
    const lines = promptOf(box, 'agg').split('\n')
    expect(lines.filter((line) => /HEAD.*stash.*25/i.test(line))).toHaveLength(1)
  })

  test('that nobody changed is no news (case 197)', async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box)
    await box.sh(prepare)
    const done = await run(box, ['--json'])
    expect(told(done, 'wave_completed')[0]).not.toHaveProperty('workspace_changed')
    expect(promptOf(box, 'agg')).not.toMatch(/stash list|moved HEAD/i)
  })
})
