import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import {
  agentScript,
  claudeScript,
  configure,
  F,
  FP,
  FW,
  reason,
  roleScript,
  run,
  runEvents,
  starts,
} from './fixtures.ts'
import { cast, told } from './waves.ts'

/** Each start reports a million input and 100 000 output tokens, and no cost. */
const FAKE_GEMINI = `#!/bin/bash
cat > /dev/null
echo start >> gemini-starts
printf '%s\\n' '{"type":"init","session_id":"s","model":"m"}'
printf '%s\\n' '{"type":"message","role":"assistant","content":"at work","delta":true}'
"$RALPH_BIN" emit x "$(wc -l < gemini-starts)" < /dev/null > /dev/null
printf '%s\\n' '{"type":"result","status":"success","stats":{"total_tokens":1100000,"input_tokens":1000000,"output_tokens":100000,"cached":0,"input":1000000,"duration_ms":1,"tool_calls":0}}'
`

describe.concurrent('a budget', () => {
  test('of money is kept by price where a program reports only tokens (case 171)', async () => {
    await using box = sandbox()
    box.script('fake-gemini.sh', FAKE_GEMINI)
    configure(box, {
      cli: { backend: 'gemini', command: './fake-gemini.sh' },
      adapters: { gemini: { price: { input: 1, output: 10 } } },
      event_loop: { max_cost_usd: 3 },
    })
    const done = await run(box, ['--json'])
    expect(done.code).toBe(2)
    expect(box.read('gemini-starts')).toBe('start\nstart\n')
    expect(reason(box)).toBe('max_cost')
    expect(told(done, 'iteration_end')).toMatchObject([
      { cost_usd: 2, cost_source: 'derived' },
      { cost_usd: 2, cost_source: 'derived' },
    ])
    expect(told(done, 'loop_terminated')).toMatchObject([{ total_cost_usd: 4, cost_source: 'derived' }])
  })

  test('of money without a price, where only tokens are reported, is a fault (case 171)', async () => {
    await using box = sandbox()
    box.script('fake-gemini.sh', FAKE_GEMINI)
    configure(box, {
      cli: { backend: 'gemini', command: './fake-gemini.sh' },
      event_loop: { max_cost_usd: 3 },
    })
    const done = await run(box)
    expect(done.code).toBe(1)
    expect(done.stderr).toContain('adapters.gemini.price')
    expect(box.exists('gemini-starts')).toBe(false)
  })

  test('of tokens ends the run once it is used up (case 172)', async () => {
    await using box = sandbox()
    configure(box, FP({ event_loop: { max_tokens_total: 250 } }))
    claudeScript(box, `RESULT='"usage":{"input_tokens":100,"output_tokens":50}'; EMIT x $START`)
    expect((await run(box)).code).toBe(2)
    expect([starts(box), reason(box)]).toEqual([2, 'max_tokens'])
  })

  test('of tokens is a fault for a program that reports none (case 172)', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { max_tokens_total: 250 } }))
    agentScript(box, 'SAY LOOP_COMPLETE')
    const done = await run(box)
    expect([done.code, starts(box)]).toEqual([1, 0])
    expect(done.stderr).toContain('event_loop.max_tokens_total')
  })
})

describe.concurrent('the fuse of agents', () => {
  test('ends a loop after so many starts (case 173)', async () => {
    await using box = sandbox()
    configure(box, F({ features: { max_agents: 2 } }))
    agentScript(box, 'EMIT x $START')
    expect((await run(box)).code).toBe(2)
    expect([starts(box), reason(box)]).toEqual([2, 'max_agents'])
  })

  test('counts workers: the third of a wave does not start, and the wave stays open until the limit is raised (case 173)', async () => {
    await using box = sandbox()
    configure(box, FW({ features: { max_agents: 3 } }))
    roleScript(box)
    const done = await run(box)
    expect(done.code).toBe(2)
    expect(cast(box)).toEqual(['disp', 'work:0', 'work:1'])
    expect(reason(box)).toBe('max_agents')
    expect(done.stderr).toMatch(/2 (of|\/) ?3/)

    expect((await box.ralph(['run', '--continue'])).code).toBe(2)
    expect(starts(box)).toBe(3)
    const raised = await box.ralph(['run', '--continue', '-c', 'features.max_agents=9'])
    expect(raised).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(cast(box)).toEqual(['agg', 'disp', 'work:0', 'work:1', 'work:2'])
  })
})

/** An agent that starts a run in a directory of its own, with the same program, down to `levels`. */
const DEEPER = (command: string): string => `#!/bin/bash
cat > /dev/null
echo "$RALPH_DEPTH" >> "$TOP/levels"
mkdir -p "$TOP/$RALPH_DEPTH" && cd "$TOP/$RALPH_DEPTH" && cp "$TOP/agent.sh" "$TOP/ralph.yml" .
echo item | ${command} > out 2> err; echo $? > code
echo LOOP_COMPLETE
`

describe.concurrent('runs inside runs', () => {
  test.each([
    ['ralph run', 'ralph run -p Y'],
    ['ralph wave run', 'ralph wave run'],
  ])('%s on the third level is refused, and starts nothing (case 174)', async (_, command) => {
    await using box = sandbox()
    configure(box, F())
    box.script('agent.sh', DEEPER(command))
    const done = await run(box, [], { env: { TOP: box.dir } })
    expect(done.code).toBe(0)
    expect(box.read('levels')).toBe('1\n2\n')
    expect([box.read('1/code'), box.read('2/code')]).toEqual(['0\n', '1\n'])
    expect(box.read('2/err')).toContain('features.max_depth')
    expect(box.exists('2/.ralph')).toBe(false)
  })

  test('go as deep as features.max_depth says (case 174)', async () => {
    await using box = sandbox()
    configure(box, F({ features: { max_depth: 3 } }))
    box.script('agent.sh', DEEPER('ralph run -p Y'))
    expect((await run(box, [], { env: { TOP: box.dir } })).code).toBe(0)
    expect(box.read('levels')).toBe('1\n2\n3\n')
    expect([box.read('2/code'), box.read('3/code')]).toEqual(['0\n', '1\n'])
  })

  test('spend at most what the outer run has left, and that counts for it (case 175)', async () => {
    await using box = sandbox()
    const inner = box.path('inner')
    configure(box, FP({ event_loop: { max_cost_usd: 0.9 } }))
    configure(box, FP({ event_loop: { max_cost_usd: 10 }, cli: { command: './paid.sh' } }), 'inner/ralph.yml')
    box.script('inner/paid.sh', PAID)
    claudeScript(box, [
      'EMIT x 1',
      `(cd ${inner} && "$RALPH_BIN" run -q -p Y > out 2> err; echo $? > code); EMIT x 2`,
      'EMIT LOOP_COMPLETE never',
    ])
    const done = await run(box, ['--json'])
    expect(box.read('inner/starts')).toBe('start\n')
    expect(box.read('inner/code')).toBe('2\n')
    expect(box.read('inner/err')).toContain('max_cost')
    expect(done.code).toBe(2)
    expect(runEvents(done).at(-1)).toMatchObject({
      reason: 'max_cost',
      total_iterations: 2,
      total_cost_usd: 1.5,
    })
  })
})

/** A fake `claude` that costs 0.5 a start, says something new each time, and never completes. */
const PAID = `#!/bin/bash
cat > /dev/null
echo start >> starts
"$RALPH_BIN" emit x "$(wc -l < starts)" < /dev/null > /dev/null
printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"result":"ok","total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":1}}'
`
