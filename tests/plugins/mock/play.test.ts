import { describe, expect, test } from 'bun:test'
import { until } from '../../helpers/sandbox.ts'
import { graphOf } from './rehearsal.ts'
import { rig } from './rig.ts'

const GRAPH = graphOf(`
  disp: work.start -> item.go
  work: item.go -> item.done; 3
  agg: item.done -> LOOP_COMPLETE; agg`)

const worker = (index: number, payload: string, attempt = 1) => ({
  kind: 'worker' as const,
  hats: ['work'],
  graph: GRAPH,
  agent: index + 2,
  attempt,
  wave: { id: 'w-1', index, total: 3, topic: 'item.go' },
  events: [{ topic: 'item.go', payload }],
})

describe.concurrent('a scripted agent', () => {
  test('calls the real commands: what it emits stands in the events file', async () => {
    await using stage = rig()
    const act = await stage.act({
      script: `
        hats:
          coordinator:
            - emit: {topic: a.b, payload: "two\\nlines\\n"}
            - emit: {topic: a.none}
            - emit: {topic: a.json, payload: '{"n": 1}', json: true}
            - emit: {topic: a.file, file: m.yml}
            - wave: {topic: item.go, payloads: [x, y]}
            - wave: {items: [{topic: p.go, payload: "1"}, {topic: q.go, payload: "2"}]}
            - say: done`,
    })
    expect(act.verdict).toEqual({ ok: true })
    expect(act.final).toBe('done')
    const rows = stage.events()
    expect(rows.map((row) => row.topic)).toEqual([
      'a.b',
      'a.none',
      'a.json',
      'a.file',
      'item.go',
      'item.go',
      'p.go',
      'q.go',
    ])
    expect(rows.slice(0, 3).map((row) => row.payload)).toEqual(['two\nlines\n', null, { n: 1 }])
    expect(rows.slice(4).map((row) => [row.payload, row.wave_index, row.wave_total])).toEqual([
      ['x', 0, 2],
      ['y', 1, 2],
      ['1', 0, 2],
      ['2', 1, 2],
    ])
  })

  test('a refused command is shown as failed, and the next step still runs', async () => {
    await using stage = rig()
    const act = await stage.act({
      script: 'hats: {coordinator: [{emit: {topic: "a b"}}, {run: "exit 3"}, {emit: {topic: a.b}}]}',
    })
    const ends = act.events.filter((event) => event.type === 'tool_end')
    expect(ends.map((event) => event.isError)).toEqual([true, true, false])
    expect(act.verdict).toEqual({ ok: true })
  })

  test('a payload is filled into texts, and reaches a command only as its environment', async () => {
    await using stage = rig()
    const payload = '$(touch hacked) `touch hacked`; {index}'
    await stage.act({
      role: worker(1, payload),
      env: { NOTE: 'from outside' },
      script: `
        hats:
          work:
            - run: printf '%s' "$PAYLOAD/$INDEX/$TOTAL/$HAT/$ATTEMPT/$START/$AGENT/$WAVE" >env.txt
            - run: "printf '%s' '{index}' >raw.txt"
            - emit: {topic: item.done, payload: "{payload}|{index}|{total}|{env.NOTE}|{env.GONE}|{other}"}`,
    })
    expect(stage.box.read('env.txt')).toBe(`${payload}/1/3/work/1/1/3/w-1`)
    expect(stage.box.read('raw.txt')).toBe('{index}')
    expect(stage.events()[0]?.payload).toBe(`${payload}|1|3|from outside||{other}`)
    expect(stage.box.exists('hacked')).toBe(false)
  })

  test('fails as its script says, with class, message and the wish when to come back', async () => {
    await using stage = rig()
    const act = await stage.act({
      script:
        'hats: {coordinator: [{fail: {class: rate_limit, message: slow down, retry_after_seconds: 1.5}}, {say: no}]}',
    })
    expect(act.verdict).toEqual({ ok: false, class: 'rate_limit', message: 'slow down', retryAfterMs: 1500 })
    expect(act.exitCode).toBe(1)
    expect(act.said).toBe('')
  })

  test('an exit code is a crash without an end record; 0 is a clean end', async () => {
    await using stage = rig()
    const crashed = await stage.act({ script: 'hats: {coordinator: [{say: x}, {exit: 3}, {say: y}]}' })
    expect(crashed.verdict).toEqual({ ok: false, class: 'crash', message: 'exit code 3' })
    expect(crashed.final).toBeNull()
    const clean = await stage.act({ script: 'hats: {coordinator: [{say: x}, {exit: 0}, {say: y}]}' })
    expect(clean.verdict).toEqual({ ok: true })
    expect(clean.said).toBe('x\n')
  })

  test('the attempts of one item differ', async () => {
    await using stage = rig()
    const script = `
      hats:
        work:
          items: {1: {attempts: {1: [{fail: {class: overload}}]}, steps: [{emit: {topic: item.done, payload: "{attempt}"}}]}}
          steps: [{emit: {topic: item.done, payload: other}}]`
    const [first, other] = await Promise.all([
      stage.act({ role: worker(1, 'b'), script }),
      stage.act({ role: worker(0, 'a'), script }),
    ])
    expect(first.verdict.ok).toBe(false)
    expect(other.verdict.ok).toBe(true)
    const second = await stage.act({ role: worker(1, 'b', 2), script })
    expect(second.verdict.ok).toBe(true)
    expect(stage.events().map((row) => row.payload)).toEqual(['other', '2'])
  })

  test('the starts of one hat differ, and other hats do not count', async () => {
    await using stage = rig()
    const script = 'hats: {disp: {turns: [[{say: first}], [{say: "second {start}"}]]}, agg: [{say: x}]}'
    const said: string[] = []
    for (const [agent, hat] of ['disp', 'agg', 'disp', 'disp'].entries())
      said.push((await stage.act({ role: { hats: [hat], graph: GRAPH, agent }, script })).said)
    expect(said).toEqual(['first\n', 'x\n', 'second 2\n', 'second 3\n'])
  })

  test('reports what it costs as totals', async () => {
    await using stage = rig()
    const act = await stage.act({
      script: `
        hats:
          coordinator:
            - cost: 0.25
            - usage: {input: 10, output: 4, cache_read: 5}
            - cost: 0.5
            - usage: {input: 1}`,
    })
    expect(act.events.findLast((event) => event.type === 'cost')).toEqual({ type: 'cost', usd: 0.75 })
    expect(act.events.findLast((event) => event.type === 'usage')).toEqual({
      type: 'usage',
      usage: { input: 16, output: 4, cacheRead: 5, cacheWrite: 0, context: 0 },
    })
  })

  test('megabytes of noise on both streams do not hide what it says', async () => {
    await using stage = rig()
    const act = await stage.act({
      script: 'hats: {coordinator: [{print_mb: {stdout: 3, stderr: 3}}, {say: still here}]}',
    })
    expect(act.said).toBe('still here\n')
    expect(act.verdict).toEqual({ ok: true })
  })

  test('hangs until TERM, which the ledger shows', async () => {
    await using stage = rig()
    const acting = stage.begin({ script: 'hats: {coordinator: [{say: waiting}, hang]}' })
    await acting.heard('waiting')
    process.kill(acting.pid, 'SIGTERM')
    const act = await acting.done
    expect(act.signal).toBe('SIGTERM')
    expect(act.verdict).toEqual({ ok: false, class: 'crash', message: 'ended by SIGTERM' })
    expect(stage.ledger().map((line) => [line.event, line.exit])).toEqual([
      ['start', null],
      ['end', null],
    ])
  })

  test('can ignore TERM', async () => {
    await using stage = rig()
    const acting = stage.begin({
      script:
        'hats: {coordinator: [ignore_term, {say: deaf}, {run: "while [ ! -e go ]; do sleep 0.02; done"}, {say: alive}]}',
    })
    await acting.heard('deaf')
    process.kill(acting.pid, 'SIGTERM')
    stage.box.write('go', '')
    expect((await acting.done).said).toBe('deaf\nalive\n')
  })

  test('can say that it is done and linger', async () => {
    await using stage = rig()
    const acting = stage.begin({ script: 'hats: {coordinator: [{end: result}, {run: "echo >ended"}, hang]}' })
    await until('the step after the end record', () => stage.box.exists('ended'))
    process.kill(acting.pid, 'SIGKILL')
    const act = await acting.done
    expect(act.final).toBe('result')
    expect(act.events.some((event) => event.type === 'terminal')).toBe(true)
  })

  test('a command can open /dev/stdout and /dev/stderr, and what it prints is shown', async () => {
    await using stage = rig()
    const act = await stage.act({
      script: 'hats: {coordinator: [{run: "echo x >/dev/stderr"}, {run: "echo y | tee /dev/stderr"}]}',
    })
    const ends = act.events.filter((event) => event.type === 'tool_end')
    expect(ends.map((event) => event.isError)).toEqual([false, false])
    expect(ends[0]?.output).toBe('x')
    expect(ends[1]?.output).toContain('y')
  })

  test('what a command leaves behind does not keep it from ending', async () => {
    await using stage = rig()
    const act = await stage.act({
      script: 'hats: {coordinator: [{run: "setsid sleep 300 & echo $! >left"}, {say: ended}]}',
    })
    const left = Number(stage.box.read('left'))
    expect(act.said).toBe('ended\n')
    expect(() => process.kill(left, 'SIGKILL')).not.toThrow()
  })

  test('`play` and hats without an entry play by themselves', async () => {
    await using stage = rig()
    const played = await stage.act({
      role: { hats: ['agg'], graph: GRAPH, events: [{ topic: 'item.done', payload: 'r0', status: 'ok' }] },
      script: 'hats: {agg: [{cost: 1}, play]}',
    })
    expect(played.verdict).toEqual({ ok: true })
    await stage.act({ role: { hats: ['disp'], graph: GRAPH }, script: 'hats: {agg: [hang]}' })
    expect(stage.events().map((row) => row.topic)).toEqual(['LOOP_COMPLETE', 'item.go', 'item.go', 'item.go'])
  })

  test('a script with a mistake, or none at its path, makes a failure of class config', async () => {
    await using stage = rig()
    const wrong = await stage.act({ script: 'hats:\n  coordinator:\n    - emitt: x\n' })
    expect(wrong.verdict).toMatchObject({ ok: false, class: 'config' })
    expect(JSON.stringify(wrong.verdict)).toContain('m.yml:3:7: hats.coordinator.0.emitt')
    const strange = await stage.act({
      role: { hats: ['disp'], graph: GRAPH },
      script: 'hats: {dips: [hang]}',
    })
    expect(JSON.stringify(strange.verdict)).toContain('no hat of this run has this name')
    const gone = await stage.act({ scriptPath: stage.box.path('gone.yml') })
    expect(JSON.stringify(gone.verdict)).toContain('gone.yml: cannot read the script (ENOENT)')
  })
})

describe.concurrent('an agent without a script', () => {
  test('a dispatcher dispatches over the files that the objective names', async () => {
    await using stage = rig()
    for (const file of ['a.ts', 'b.ts', 'sub/c.ts', 'sub/d.ts']) stage.box.write(file, 'x\n')
    const act = await stage.act({
      role: { hats: ['disp'], graph: GRAPH, objective: 'Review a.ts, sub/c.ts and d.ts.' },
    })
    expect(act.verdict).toEqual({ ok: true })
    expect(stage.events().map((row) => [row.topic, row.payload])).toEqual([
      ['item.go', 'a.ts'],
      ['item.go', 'sub/c.ts'],
      ['item.go', 'sub/d.ts'],
    ])
  })

  test('a worker reports facts about the file of its payload, and braces in it stay as they are', async () => {
    await using stage = rig()
    stage.box.write('sub/c.ts', 'const a = 1\n// TODO: {payload} is longer\nFIXME\n')
    const act = await stage.act({ role: worker(1, 'sub/c.ts: {index}') })
    const [row] = stage.events()
    expect(row?.topic).toBe('item.done')
    expect(row?.payload).toContain('## Part 2 of 3: sub/c.ts: {index}')
    expect(row?.payload).toContain(
      '`sub/c.ts`: 3 lines, the longest 28 characters (line 2), 2 TODO marks (first in line 2)',
    )
    expect(act.final).toBe('Reported on `item.done`.')
  })

  test('three workers on the same words look at different files', async () => {
    await using stage = rig()
    for (const file of ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts']) stage.box.write(file, 'x\n')
    await Promise.all([0, 1, 2].map((index) => stage.act({ role: worker(index, 'security') })))
    const seen = stage.events().map((row) => String(row.payload).match(/`\w\.ts`/g))
    expect(seen.flat().sort()).toEqual(['`a.ts`', '`b.ts`', '`c.ts`', '`d.ts`', '`e.ts`'])
  })

  test('an aggregator sums up results and failures and completes with that report', async () => {
    await using stage = rig()
    const act = await stage.act({
      role: {
        hats: ['agg'],
        graph: GRAPH,
        events: [
          { topic: 'item.done', payload: 'first\n\nTotal: 2 files, 10 lines, 1 TODO mark.', status: 'ok' },
          { topic: 'item.done', payload: 'second\n\nTotal: 1 file, 5 lines, 0 TODO marks.', status: 'ok' },
          { topic: 'item.done', payload: '## Worker 2 (FAILED)\n\nError: timeout', status: 'timeout' },
        ],
      },
    })
    const [row] = stage.events()
    expect(row?.topic).toBe('LOOP_COMPLETE')
    for (const part of [
      '2 events, 1 failure',
      'first',
      'second',
      'Error: timeout',
      '3 files, 15 lines, 1 TODO mark',
    ])
      expect(row?.payload).toContain(part)
    expect(act.final).toBe(String(row?.payload))
  })

  test('the turns of a run go on from what its events file holds', async () => {
    await using stage = rig()
    const graph = graphOf(`
      builder: build.go, review.rejected -> review.ready
      critic: review.ready -> review.rejected, LOOP_COMPLETE`)
    for (const [agent, hat] of ['builder', 'critic', 'builder', 'critic'].entries())
      await stage.act({ role: { hats: [hat], graph, agent } })
    expect(stage.events().map((row) => row.topic)).toEqual([
      'review.ready',
      'review.rejected',
      'review.ready',
      'LOOP_COMPLETE',
    ])
  })

  test('without hats it reports on the objective and completes', async () => {
    await using stage = rig()
    stage.box.write('notes.md', 'one\ntwo\n')
    await stage.act({ role: { objective: 'Read notes.md' } })
    expect(stage.events().map((row) => row.topic)).toEqual(['LOOP_COMPLETE'])
    expect(stage.events()[0]?.payload).toContain('`notes.md`: 2 lines')
  })

  test('an item of `ralph wave run` answers by its final message and emits nothing', async () => {
    await using stage = rig()
    stage.box.write('notes.md', 'one\n')
    const act = await stage.act({
      role: { kind: 'item', wave: { id: 'w', index: 0, total: 1, topic: 'item' } },
      prompt: 'Count notes.md',
    })
    expect(act.final).toContain('`notes.md`: 1 line,')
    expect(stage.events()).toEqual([])
  })

  test('guidance is acknowledged, since a run cannot complete before', async () => {
    await using stage = rig()
    await stage.act({ prompt: 'GUIDANCE … acknowledge with: ralph emit human.guidance.ack' })
    expect(stage.events().map((row) => row.topic)).toEqual(['human.guidance.ack', 'LOOP_COMPLETE'])
  })

  test('is told the model and says so', async () => {
    await using stage = rig()
    expect((await stage.act({ model: 'big-one' })).said).toContain('asked for: big-one')
  })
})

describe.concurrent('the ledger', () => {
  test('has one line when an agent starts and one when it ends, also when it fails', async () => {
    await using stage = rig()
    await stage.act({ role: worker(1, 'x', 2), script: 'hats: {work: [{exit: 4}]}' })
    const [start, end] = stage.ledger()
    expect(stage.ledger()).toHaveLength(2)
    expect(start).toMatchObject({ event: 'start', kind: 'worker', agent: 3, hats: ['work'], exit: null })
    expect(end).toMatchObject({ event: 'end', wave: 'w-1', index: 1, attempt: 2, exit: 4, pid: start?.pid })
  })

  test('gives every one of many simultaneous starts its own number', async () => {
    await using stage = rig()
    const acts = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((index) =>
        stage.act({ role: worker(index, 'x'), script: 'hats: {work: [{say: "{start}"}]}' }),
      ),
    )
    expect(acts.map((act) => act.said.trim()).sort()).toEqual(['1', '2', '3', '4', '5', '6'])
  })
})

test('started by a person it says what it is and fails as a usage error', async () => {
  await using stage = rig()
  const { code, stderr } = await stage.box.sh(`"$HOME/ralph" mock-agent </dev/null`)
  expect(code).toBe(2)
  expect(stderr).toContain('ralph run -b mock')
})
