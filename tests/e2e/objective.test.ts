import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { agentScript, configure, F, prompt, reason, rows, starts } from './fixtures.ts'

describe('where the objective comes from', () => {
  test.concurrent('-p and -P exclude each other (case 23)', async () => {
    await using box = sandbox()
    expect((await box.ralph(['run', '-p', 'a', '-P', 'f'])).code).toBe(2)
  })

  test.concurrent('-P - is stdin, and a missing file is an error (case 23)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    expect(await box.ralph(['run', '-P', 'missing'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('missing'),
    })
    expect((await box.ralph(['run', '-P', '-'], { stdin: 'hi from stdin\n' })).code).toBe(0)
    expect(prompt(box, 1)).toContain('hi from stdin')
  })

  test.concurrent('stdin outranks the config, an empty one counts as not given (case 24)', async () => {
    await using box = sandbox()
    configure(box, F({ event_loop: { prompt: 'the configured one' } }))
    agentScript(box, 'SAY LOOP_COMPLETE')
    await box.ralph(['run'], { stdin: 'hi from stdin\n' })
    expect(prompt(box, 1)).toContain('hi from stdin')
    expect(prompt(box, 1)).not.toContain('the configured one')
    await box.ralph(['run'])
    expect(prompt(box, 2)).toContain('the configured one')
  })

  test.concurrent('PROMPT.md alone is used; without any source the error names them (case 25)', async () => {
    await using box = sandbox()
    configure(box, F())
    agentScript(box, 'SAY LOOP_COMPLETE')
    const none = await box.ralph(['run'])
    expect(none).toMatchObject({ code: 1, stdout: '' })
    for (const source of ['-p', '-P', 'stdin', 'event_loop.prompt', 'PROMPT.md']) {
      expect(none.stderr).toContain(source)
    }
    box.write('PROMPT.md', 'what PROMPT.md says')
    expect((await box.ralph(['run'])).code).toBe(0)
    expect(prompt(box, 1)).toContain('what PROMPT.md says')
  })
})

test.concurrent('long characters at any place of the objective are cut whole (case 25)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, 'SAY LOOP_COMPLETE')
  for (const before of [58, 59, 98, 99, 497, 498, 499]) {
    const objective = `${'x'.repeat(before)}漢🙂漢🙂${'漢'.repeat(200)}`
    const dry = await box.ralph(['run', '--dry-run', '-p', objective])
    expect(dry.code).toBe(0)
    expect((await box.ralph(['run', '-p', objective])).code).toBe(0)
    const texts = [dry.stdout, box.read('.ralph/loop.lock'), String(rows(box)[0]?.payload)]
    for (const text of texts) expect(text).not.toContain('\ufffd')
    expect(JSON.parse(box.read('.ralph/loop.lock')).prompt).toBe([...objective].slice(0, 100).join(''))
    expect(reason(box)).toBe('completed')
  }
  expect(starts(box)).toBe(7)
})
