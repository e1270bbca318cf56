import { describe, expect, test } from 'bun:test'
import { agentScript, configure, F, FC, FW, roleScript, rows, starts } from '../e2e/fixtures.ts'
import { cast, MEETING, merged } from '../e2e/waves.ts'
import { RALPH, sandbox } from '../helpers/sandbox.ts'
import { codes, MOUNTS, WITH_MOUNTS, withMounts } from './mounts.ts'

/** Bash: fills the disk that `$1` lies on, once. */
const FILL = `FILL() { [ -e filled ] || dd if=/dev/zero of="$1/fill" bs=64k 2>/dev/null; : > filled; }\n`
const LONG = `$(head -c 20000 /dev/zero | tr '\\0' x)`
/** Root may write everywhere. */
const ANYBODY = process.getuid?.() === 0 ? 'setpriv --reuid=65534 --regid=65534 --clear-groups' : ''

describe.concurrent('a disk that fills up', () => {
  test.skipIf(MOUNTS === null)(
    `under the state of a run ends it with io_error, names the file, and costs no result: none is made twice${WITH_MOUNTS}`,
    async () => {
      await using box = sandbox()
      configure(box, FW())
      roleScript(box, {
        work: {
          1: `${FILL} for i in 0 2; do
              until ls "$STATE"/runs/*/waves/*/$i/outcome.json; do sleep 0.02; done > /dev/null 2>&1
            done; FILL "$STATE"; EMIT item.done "r1 ${LONG}"`,
          else: `EMIT item.done "r$RALPH_WAVE_INDEX ${LONG}"`,
        },
      })
      await withMounts(
        box,
        `mkdir ../state && mount -t tmpfs -o size=3m tmpfs ../state
        export STATE="$PWD/../state"; export RALPH_STATE_DIR="$STATE"
        "$RALPH_BIN" run -p X > out 2> first; CODE first
        rm "$STATE/fill"; "$RALPH_BIN" run --continue > out; CODE second`,
      )
      expect(codes(box)).toEqual({ first: 1, second: 0 })
      expect(box.read('out')).toBe('ok\n')
      expect(box.read('first')).toMatch(/^error: .*state\/runs\/\S+: ENOSPC/m)
      expect(box.read('first')).toMatch(
        /Run ended: io_error \| exit 1 .*once that is repaired, `ralph run --cont/,
      )
      expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1', 'work:2'])
      expect(merged(box, 'item.done').map((row) => row.wave_index)).toEqual([0, 1, 2])
    },
  )

  test.skipIf(MOUNTS === null)(
    `under the events file keeps a wave from its merge: --continue merges it, each result once${WITH_MOUNTS}`,
    async () => {
      await using box = sandbox()
      configure(box, FW())
      roleScript(box, {
        work: `${MEETING}${FILL} EMIT item.done "r$RALPH_WAVE_INDEX ${LONG}"; MEET there 3
          if [ $RALPH_WAVE_INDEX = 1 ]; then FILL .ralph; fi`,
      })
      await withMounts(
        box,
        `mkdir .ralph && mount -t tmpfs -o size=1m tmpfs .ralph
        "$RALPH_BIN" run -p X > out 2> first; CODE first
        rm .ralph/fill; "$RALPH_BIN" run --continue > out; CODE second
        cp .ralph/events-*.jsonl events`,
      )
      expect(codes(box)).toEqual({ first: 1, second: 0 })
      expect(box.read('first')).toMatch(
        /^error: the results of wave \S+ cannot be merged into .*events-\S+: ENOSPC/m,
      )
      expect(box.read('first')).toContain('3 of 3 results settled')
      expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1', 'work:2'])
      const results = box.read('events').match(/^\{"topic":"item\.done".*"wave_status":"ok".*\}$/gm) ?? []
      expect(results.map((line) => JSON.parse(line).wave_index)).toEqual([0, 1, 2])
    },
  )

  test.skipIf(MOUNTS === null)(
    `fails \`ralph emit\`, which says so; what it wrote in part swallows no later line${WITH_MOUNTS}`,
    async () => {
      await using box = sandbox()
      box.write('long', 'x'.repeat(200_000))
      await withMounts(
        box,
        `mkdir .ralph && mount -t tmpfs -o size=256k tmpfs .ralph
        "$RALPH_BIN" emit before x; CODE before
        "$RALPH_BIN" emit long --payload-file long; CODE fits
        "$RALPH_BIN" emit long --payload-file long > out 2> err; CODE full
        dd if=/dev/null of=.ralph/x 2>/dev/null; truncate -s -60000 .ralph/events.jsonl
        "$RALPH_BIN" emit after y; CODE after
        cp .ralph/events.jsonl events`,
      )
      expect(codes(box)).toEqual({ before: 0, fits: 0, full: 1, after: 0 })
      expect([box.read('out'), box.read('err')]).toEqual([
        '',
        expect.stringMatching(/^Error: cannot write .*: ENOSPC/),
      ])
      const lines = box.read('events').trim().split('\n')
      expect(lines.at(-1)).toContain('"topic":"after"')
    },
  )

  test('of the result ends `ralph run` with 1: a lost result is no success', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'EMIT LOOP_COMPLETE "the result"')
    const done = await box.sh(`'${RALPH}' run -p X > /dev/full`)
    expect(done.code).toBe(1)
    expect(done.stderr).toContain('ENOSPC')
  })

  test('for one file alone (`ulimit -f`) is told like a full one, and --continue goes on where it stood', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, [`EMIT b.go "${LONG}${LONG}"; EMIT b.more "${LONG}${LONG}"`, 'EMIT LOOP_COMPLETE ok'])
    const done = await box.sh(`ulimit -f 40; exec '${RALPH}' run -p X`)
    expect([done.code, done.stdout]).toEqual([1, ''])
    expect(done.stderr).toMatch(/^error: .*: EFBIG/m)
    expect(await box.ralph(['run', '--continue'])).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(rows(box, 'b.go')).toHaveLength(1)
  })
})

test('a folder that becomes read-only ends the run between two iterations, and names it; afterwards --continue goes on', async () => {
  await using box = sandbox()
  configure(box, FC())
  agentScript(box, ['EMIT b.go x; chmod 555 .ralph', 'EMIT LOOP_COMPLETE ok'])
  const ralph = (args: string): ReturnType<typeof box.sh> => box.sh(`${ANYBODY} '${RALPH}' run ${args}`)
  await box.sh('chmod -R a+rwX .. && chmod a+x ../..')
  const done = await ralph('-p X')
  expect([done.code, done.stdout]).toEqual([1, ''])
  expect(done.stderr).toMatch(/^error: files of the run cannot be made anew in .*work: E/m)
  expect(done.stderr).toContain('Run ended: io_error')
  await box.sh('chmod 777 .ralph')
  expect(await ralph('--continue')).toMatchObject({ code: 0, stdout: 'ok\n' })
  expect(starts(box)).toBe(2)
})
