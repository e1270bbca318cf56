import { describe, expect, test } from 'bun:test'
import { sandbox, until } from '../helpers/sandbox.ts'
import { agentScript, claudeScript, configure, F, FP, hat, reason, rows, run, starts } from './fixtures.ts'

describe('limits', () => {
  test.concurrent('of time end the run after the iteration that passes them (case 85)', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { max_runtime_seconds: 1 } }))
    agentScript(box, 'sleep 2; EMIT x $START')
    expect(await run(box)).toMatchObject({ code: 2, stdout: '' })
    expect([starts(box), reason(box)]).toEqual([1, 'max_runtime'])
  })

  test.concurrent('of cost too (case 86)', async () => {
    await using box = sandbox()
    configure(box, FP({ event_loop: { max_cost_usd: 0.9 } }))
    claudeScript(box, 'EMIT x $START')
    expect((await run(box)).code).toBe(2)
    expect([starts(box), reason(box)]).toEqual([2, 'max_cost'])
    const summaries = rows(box, 'iteration.summary').map((row) => JSON.parse(String(row.payload)))
    expect(summaries).toMatchObject([
      { cost_usd: 0.5, cost_source: 'reported' },
      { cost_usd: 0.5, cost_source: 'reported' },
    ])
  })

  test.concurrent('that cannot be kept are refused (case 87)', async () => {
    await using box = sandbox()
    agentScript(box, 'SAY LOOP_COMPLETE')
    claudeScript(box, 'SAY LOOP_COMPLETE')
    configure(box, F({ event_loop: { max_cost_usd: 1 } }))
    const plain = await run(box)
    const b = hat('b', { triggers: ['b.go'], backend: { command: './b.sh' } })
    configure(box, FP({ event_loop: { max_cost_usd: 1 }, hats: { b } }))
    const mixed = await run(box)
    for (const done of [plain, mixed]) {
      expect(done.code).toBe(1)
      for (const word of ['custom', 'price', 'max_tokens_total']) expect(done.stderr).toContain(word)
    }
    expect(starts(box)).toBe(0)
  })
})

test.concurrent('without a budget an unknown cost is no news (case 87)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, 'SAY LOOP_COMPLETE')
  const done = await run(box)
  expect(done.stderr).toContain('cost unknown')
  expect(done.stderr).not.toContain('warning')
  expect(JSON.parse(String(rows(box, 'iteration.summary')[0]?.payload))).toMatchObject({
    cost_usd: null,
    cost_source: null,
  })
})

describe('from outside', () => {
  test.concurrent('a stop file lets the agent end, and ends the run (case 88)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'touch .ralph/stop-requested; sleep 0.2; EMIT x; touch ended')
    expect(await run(box)).toMatchObject({ code: 1, stdout: '' })
    expect([starts(box), reason(box)]).toEqual([1, 'stopped'])
    expect(box.exists('ended')).toBe(true)
    expect(box.exists('.ralph/stop-requested')).toBe(false)
  })

  test.concurrent.each([':', `SAY '<event topic="x">y</event>'`])(
    'a workspace that goes away takes the run with it, and stays away: %s (case 88)',
    async (more) => {
      await using box = sandbox()
      configure(box, F())
      agentScript(box, `rm -rf "$PWD"; ${more}`)
      expect(await run(box)).toMatchObject({ code: 1, stderr: expect.stringContaining('workspace_gone') })
      expect(box.exists('.')).toBe(false)
    },
  )

  test.concurrent.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s ends the agent and its children, exit %i (case 89)', async (signal, code) => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'sleep 300 & (setsid sleep 300 & echo $! > far); echo "$! $$" > near; wait')
    const started = box.start(['run', '-p', 'X'])
    await until('the agent', () => box.exists('near') && box.read('near').endsWith('\n'))
    started.kill(signal)
    expect(await started.finished).toMatchObject({ code, stdout: '' })
    expect(reason(box)).toBe('interrupted')
    const pids = `${box.read('near')} ${box.read('far')}`.trim().split(/\s+/).map(Number)
    expect(pids).toHaveLength(3)
    for (const pid of pids) expect(await isGone(pid)).toBe(true)
  })
})

/** Whether a process is gone; a zombie that nobody has reaped yet is. */
async function isGone(pid: number): Promise<boolean> {
  const stat = Bun.file(`/proc/${pid}/stat`)
  const text = await stat.text().catch(() => '')
  return text === '' || /\) [ZX] /.test(text)
}
