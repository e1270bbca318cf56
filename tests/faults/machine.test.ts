import { describe, expect, test } from 'bun:test'
import { configure, FW, roleScript, runEvents, starts } from '../e2e/fixtures.ts'
import { mostAlive, outcome } from '../e2e/waves.ts'
import { RALPH, type Sandbox, sandbox } from '../helpers/sandbox.ts'

const EIGHT = FW({ hats: { work: { concurrency: 8 } } })
const EIGHT_ITEMS = 'WAVE item.go 0 1 2 3 4 5 6 7'

/** Who may start no process is never root. */
const IS_ROOT = process.getuid?.() === 0
const WITH_USERS = IS_ROOT ? '' : ' (skipped: only root becomes another user)'

/** Runs bash as a user that nobody else is, from a folder that this user may write. */
async function asUser(box: Sandbox, uid: number, script: string): ReturnType<Sandbox['sh']> {
  await box.sh('mkdir -p ../agent && chmod -R a+rwX .. && chmod 777 .. ../agent ../home . && chmod a+x ../..')
  box.write('../script.sh', script)
  return box.sh(`exec setpriv --reuid=${uid} --regid=${uid} --clear-groups bash ../script.sh`)
}

describe.concurrent('a machine that has too little for all agents at once', () => {
  test.each([30, 45, 64])(
    '%i descriptors: fewer agents run at once, which is said once, and no item is lost',
    async (limit) => {
      await using box = sandbox()
      configure(box, EIGHT)
      roleScript(box, {
        disp: EIGHT_ITEMS,
        work: 'echo + >> alive; echo word; sleep 0.1; EMIT item.done "r$RALPH_WAVE_INDEX"; echo - >> alive',
      })
      const done = await box.sh(`ulimit -n ${limit}; exec '${RALPH}' run -p X`)
      expect([done.code, done.stdout]).toEqual([0, 'ok\n'])
      expect(Array.from({ length: 8 }, (_, index) => outcome(box, index))).toMatchObject(
        Array.from({ length: 8 }, () => ({ status: 'ok', attempts: 1 })),
      )
      expect(
        done.stderr.match(/^warning: too few file descriptors .*EMFILE.*the other items wait$/gm),
      ).toHaveLength(1)
      expect(mostAlive(box)).toBeLessThan(8)
      expect(starts(box)).toBe(10)
    },
  )

  test.each([64, 90, 120, 160])(
    '%i descriptors for twenty agents that take their time: what is opened after a start is there too, and every log is whole',
    async (limit) => {
      await using box = sandbox()
      const items = Array.from({ length: 20 }, (_, i) => `${i}`)
      box.script(
        'agent.sh',
        '#!/bin/bash\nn=$(cat); echo "$n" >> starts; echo early; echo noise >&2; sleep 0.3; echo "did $n"',
      )
      const keys = ['cli.backend=custom', 'cli.command=./agent.sh', 'cli.prompt_mode=stdin']
      const args = keys.map((key) => `-c ${key}`).join(' ')
      box.write('items', items.join('\n'))
      const done = await box.sh(`ulimit -n ${limit}; exec '${RALPH}' wave run -j 20 ${args} < items`)
      expect(done, done.stderr).toMatchObject({
        code: 0,
        stdout: items.map((item) => `early\ndid ${item}\n`).join(''),
      })
      expect(done.stderr).not.toContain('log ended')
      expect(box.read('starts').trim().split('\n')).toHaveLength(20)
    },
  )

  test.skipIf(!IS_ROOT)(`too few processes: the same${WITH_USERS}`, async () => {
    await using box = sandbox()
    // Waits without a further process.
    const work = {
      command: '/bin/bash',
      args: ['-c', 'read -t 0.3 x <> fifo; echo done'],
      prompt_mode: 'stdin',
    }
    configure(
      box,
      FW({
        cli: { command: './agent' },
        features: { max_concurrency: 30 },
        hats: { work: { concurrency: 30, backend: work }, agg: { backend: 'mock' } },
      }),
    )
    box.script('agent', '#!/bin/sh\nexec "$RALPH_BIN" wave emit item.go --payloads $(seq 30)\n')
    await box.sh('mkfifo fifo')
    const done = await asUser(box, 54_321, `ulimit -u 20; exec '${RALPH}' run -p X --json > out`)
    const events = runEvents({ ...done, stdout: box.read('out') })
    expect(events.filter((event) => event.code === 'short')).toMatchObject([
      { message: expect.stringMatching(/EAGAIN.*the other items wait/), recoverable: true },
    ])
    expect(events.find((event) => event.type === 'wave_completed')).toMatchObject({
      succeeded: 30,
      failed: 0,
    })
  })
})

test.skipIf(!IS_ROOT)(
  `where no folder can be watched any more the files are polled, which is said once${WITH_USERS}`,
  async () => {
    await using box = sandbox()
    configure(box, FW())
    roleScript(box, { work: 'sleep 0.4; EMIT item.done "r$RALPH_WAVE_INDEX"; sleep 0.4' })
    // Takes every watcher that this user may have.
    const hold = `import { watch } from 'node:fs'
      import { dlopen } from 'bun:ffi'
      const { symbols } = dlopen('libc.so.6', { inotify_init: { args: [], returns: 'i32' } })
      while (symbols.inotify_init() >= 0);
      require('node:fs').writeFileSync('held', '')
      setTimeout(() => {}, 30_000)`
    box.write('hold.ts', hold)
    const done = await asUser(
      box,
      54_322,
      `'${process.execPath}' hold.ts & until [ -e held ]; do sleep 0.05; done
      '${RALPH}' run -p X; code=$?; kill $!; exit $code`,
    )
    expect([done.code, done.stdout]).toEqual([0, 'ok\n'])
    expect(
      done.stderr.match(/^warning: .*\.ralph cannot be watched .*four times a second instead$/gm),
    ).toHaveLength(1)
  },
)
