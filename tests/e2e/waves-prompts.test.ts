import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { configure, FC, FS, FW, hat, played, prompt, roleScript, run, starts } from './fixtures.ts'
import { promptOf } from './waves.ts'

const SECTION = 'Wave Dispatch'

describe.concurrent('the Wave Dispatch section', () => {
  test('shows a dispatcher the topic, its hat and the commands, and nobody else (case 150)', async () => {
    await using box = sandbox()
    configure(
      box,
      FW({
        hats: { work: { name: 'The Workers', description: 'takes one item' } },
        events: { 'item.go': { description: 'one thing to do' } },
      }),
    )
    roleScript(box)
    await run(box)
    const text = promptOf(box, 'disp')
    const section = text.slice(text.indexOf(SECTION))
    expect(section).toMatch(
      /\| `item\.go` \| The Workers \(`work`\) \| takes one item · one thing to do \| 3 \|/,
    )
    expect(section).toContain(`ralph wave emit item.go --payloads '`)
    expect(section).toContain(`ralph wave emit item.go --jsonl <<'RALPH_EOF'`)
    expect(text).not.toMatch(/\bonly one event\b|\bexactly one event\b|\bone event only\b/i)
    expect(promptOf(box, 'agg')).not.toContain(SECTION)
    expect(promptOf(box, 'work:0')).not.toContain(SECTION)
  })

  test('lists the hats of a scatter with the form for several topics (case 151)', async () => {
    await using box = sandbox()
    configure(box, FS())
    roleScript(box, {
      disp: 'EMIT h1.go a; EMIT h2.go b',
      h1: 'EMIT item.done r',
      h2: 'EMIT item.done r',
    })
    await run(box)
    const text = promptOf(box, 'disp')
    for (const name of ['h1', 'h2', 'h3', 'h4'])
      expect(text).toContain(`| \`${name}.go\` | ${name} (\`${name}\`)`)
    expect(text).toContain(`ralph wave emit --event h1.go='`)
    expect(text).not.toContain('--payloads')
  })

  test('is not there where work goes to one ordinary hat, and is for a coordinator that can dispatch (case 151)', async () => {
    await using ordinary = sandbox()
    configure(ordinary, FW({ hats: { work: { concurrency: 1 } } }))
    roleScript(ordinary, { work: 'EMIT item.done r' })
    await run(ordinary)
    expect(promptOf(ordinary, 'disp')).not.toContain(SECTION)

    await using box = sandbox()
    configure(box, FW({ event_loop: { starting_event: 'task.start' } }))
    roleScript(box, { ralph: 'EMIT LOOP_COMPLETE ok' })
    await run(box)
    expect(played(box)).toEqual(['ralph'])
    expect(promptOf(box, 'ralph')).toContain(SECTION)
    expect(promptOf(box, 'ralph')).toContain('ralph wave emit item.go')
  })

  test('is in no prompt of a collection without wave keys, which runs as if there were no waves (case 154)', async () => {
    await using box = sandbox()
    configure(box, FC({ hats: { c: hat('c', { triggers: ['c.go'], publishes: ['LOOP_COMPLETE'] }) } }))
    roleScript(box, { a: 'EMIT b.go 1', b: 'EMIT LOOP_COMPLETE ok' })
    expect(await run(box)).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(played(box)).toEqual(['a', 'b'])
    for (let k = 1; k <= starts(box); k++) {
      expect(prompt(box, k)).not.toContain(SECTION)
      expect(prompt(box, k)).not.toContain('wave emit')
    }
  })
})
