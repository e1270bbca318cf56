import { describe, expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { agentScript, configure, F, FC, prompt, rows, run, runId, starts } from './fixtures.ts'

/** The command forms that a prompt shows: the lines of each fenced block. */
const forms = (text: string): string[] =>
  [...text.matchAll(/^```\n(ralph emit [\s\S]*?)\n```$/gm)].map(([, form]) => form ?? '')

test.concurrent('what the coordinator is told, in order (case 99)', async () => {
  await using box = sandbox()
  configure(box, FC())
  agentScript(box, ['EMIT nobody.x', 'SAY LOOP_COMPLETE'])
  await run(box)
  const titles = [...prompt(box, 2).matchAll(/^## ([A-Z ]+)/gm)].map(([, title]) => title?.trim())
  const wanted = ['ORIENTATION', 'OBJECTIVE', 'PENDING EVENTS', 'HATS', 'EVENT WRITING', 'DONE']
  expect(titles.filter((title) => title !== undefined && wanted.includes(title))).toEqual(wanted)
})

test.concurrent('of a long scratchpad the end, from a line start, with a note (case 99)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, [
    `mkdir -p .ralph/agent; for ((i = 10000; i < 14000; i++)); do echo "line $i"; done > .ralph/agent/scratchpad.md; EMIT x`,
  ])
  await run(box)
  const text = prompt(box, 2)
  const shown = [...text.matchAll(/^line (\d+)$/gm)].map(([, n]) => Number(n))
  expect(shown.at(-1)).toBe(13_999)
  expect(shown.length * 11).toBeWithin(15_900, 16_001)
  const pad = /<scratchpad path="\.ralph\/agent\/scratchpad\.md">\n([\s\S]*?)<\/scratchpad>/.exec(text)?.[1]
  expect(pad).toMatch(/^\[… the first \d+ bytes are left out here\..*\]\nline \d+\n/)
})

test.concurrent('-v shows it on stderr (case 99)', async () => {
  await using box = sandbox()
  configure(box, F())
  agentScript(box, 'SAY LOOP_COMPLETE')
  const done = await box.ralph(['run', '-v', '-p', 'the very objective'])
  expect(done.stderr).toContain(prompt(box, 1).trim())
})

describe('how a result is handed over', () => {
  test.concurrent('in the form that the prompt shows a report arrives byte for byte (case 157)', async () => {
    await using box = sandbox()
    configure(box, FC())
    const report =
      '# Report\n\n`touch pwned` $(touch pwned) "$HOME" \'q\' \\n *x*\n\n```sh\nrm -rf $HOME\n```\nend'
    box.write('report.md', `${report}\n`)
    agentScript(box, [
      // Follows the form to the letter: only the line between the markers is replaced.
      `awk '/^ralph emit b.go --stdin <</ { on = 1 } /^\`\`\`$/ { on = 0 } on' "$PROMPT" | sed -e '2r report.md' -e '2d' > step.sh
       echo >> step.sh; bash step.sh > /dev/null`,
    ])
    await run(box)
    expect(rows(box, 'b.go').map((row) => row.payload)).toEqual([report])
    expect(prompt(box, 2)).toContain(report)
    expect(box.exists('pwned')).toBe(false)
  })

  test.concurrent('who may end the run is told that its payload is the result, and how (case 160)', async () => {
    await using box = sandbox()
    configure(box, FC())
    agentScript(box, ['EMIT b.go', 'EMIT nobody.x'])
    await run(box)
    expect(starts(box)).toBe(3)
    const told = [1, 2, 3].map((k) => [
      prompt(box, k).includes("is the run's whole result"),
      forms(prompt(box, k)).some((form) =>
        form.startsWith("ralph emit LOOP_COMPLETE --stdin <<'RALPH_EOF'\n"),
      ),
    ])
    expect(told).toEqual([
      [false, false],
      [true, true],
      [true, true],
    ])
  })

  test.concurrent('a program without heredocs is shown a file (case 160)', async () => {
    await using box = sandbox()
    configure(box, FC({ cli: { backend: 'plain' } }))
    box.write(
      'plugins/plain.ts',
      `export default {
        name: 'plain',
        traits: { shell: { heredoc: false } },
        invoke: () => ({ argv: ['./agent.sh'], prompt: 'stdin' }),
      }\n`,
    )
    agentScript(box, ['EMIT b.go'])
    expect((await run(box, ['--plugins', 'plugins'])).code).toBe(0)
    expect(prompt(box, 2)).toContain('ralph emit LOOP_COMPLETE --payload-file')
    for (const k of [1, 2]) expect(prompt(box, k)).not.toContain('<<')
  })

  test.concurrent('no prompt of a built-in preset shows a double-quoted result (case 160)', async () => {
    await using box = sandbox()
    const presets = JSON.parse((await box.ralph(['presets', '--json'])).stdout) as {
      name: string
      source: string
    }[]
    const names = presets.filter((preset) => preset.source === 'builtin').map((preset) => preset.name)
    expect(names).toContain('wave-review')
    for (const name of names) {
      const args = ['run', '-H', `builtin:${name}`, '-b', 'mock', '-p', 'Review it']
      await box.ralph(args, { env: { RALPH_DIAGNOSTICS: '1' } })
      const prompts = box.read(`.ralph/diagnostics/${runId(box)}/prompt-log.md`)
      expect(prompts).toContain('ralph emit')
      expect(prompts).not.toMatch(/ralph (wave )?emit [^\n]*"/)
    }
  }, 60_000)
})
