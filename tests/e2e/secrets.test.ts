import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finished, type Sandbox, sandbox } from '../helpers/sandbox.ts'
import { agentScript, claudeScript, configure, F, FP, FW, main, roleScript, run } from './fixtures.ts'

/** One secret a place where an agent, or the user, lets it slip. */
const SECRETS = {
  OBJECTIVE_TOKEN: 'tok/objective+0123456789==',
  STDOUT_API_KEY: 'stdout-key-0123456789',
  STDERR_TOKEN: 'tok "stderr" 0123456789',
  PIECES_API_KEY: 'two-pieces-key-0123456789',
  PAYLOAD_TOKEN: 'payload-token-0123456789',
  FINAL_API_KEY: 'final-message-key-0123456789',
  TOOL_TOKEN: 'tool-token-0123456789',
  BAD_LINE_TOKEN: 'bad-line-token-0123456789',
  DYING_API_KEY: 'dying-agent-key-0123456789',
  FORM_ANTHROPIC: 'sk-ant-api03-0123456789abcdefghij',
  FORM_GOOGLE: 'AIzaSy0123456789abcdefghijklmnopqrstuv',
  FORM_GITHUB: 'ghp_0123456789abcdefghijABCDEFGHIJ012345',
} as const

/** The last three are secret by their form, and no value of the environment. */
const ENV = {
  ...Object.fromEntries(Object.entries(SECRETS).filter(([name]) => !name.startsWith('FORM_'))),
  RALPH_DIAGNOSTICS: '1',
}

/** A place as a person would name it. */
function placeOf(path: string): string {
  if (/\/events-[^/]*\.jsonl$/.test(path)) return 'events file'
  if (/\/wave-[^/]*\.jsonl$/.test(path)) return "worker's events file"
  if (path.endsWith('/journal.jsonl')) return 'journal'
  if (/\/result-\d+\.txt$/.test(path)) return 'result file'
  return path
}

/** Where each secret stands, of all that ralph has written and printed; those that stand nowhere are left out. */
function whereabouts(box: Sandbox, printed: Readonly<Record<string, string>>): Record<string, string[]> {
  const root = dirname(box.home)
  const texts = new Map(Object.entries(printed))
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    // The agents' own scripts, and the prompts that they have kept, are none of ralph's.
    if (entry.isFile() && !path.startsWith(join(root, 'agent/')) && !path.endsWith('.sh')) {
      texts.set(path.slice(root.length), readFileSync(path, 'utf8'))
    }
  }
  const found: Record<string, string[]> = {}
  for (const [name, value] of Object.entries(SECRETS)) {
    // Half of one is found by its beginning.
    const forms = [value, JSON.stringify(value).slice(1, -1), value.slice(0, 12)]
    const places = [...texts].flatMap(([path, text]) =>
      forms.some((form) => text.includes(form)) ? placeOf(path) : [],
    )
    if (places.length > 0) found[name] = [...new Set(places)].sort()
  }
  return found
}

const printedBy = (done: Finished, name: string): Record<string, string> => ({
  [`stdout of ${name}`]: done.stdout,
  [`stderr of ${name}`]: done.stderr,
})

/** What is asked of ralph about its last run. */
async function asked(box: Sandbox): Promise<Record<string, string>> {
  const answers = await Promise.all(
    [
      ['status'],
      ['status', '--json'],
      ['doctor'],
      ['doctor', '--json'],
      ['run', '-p', SECRETS.OBJECTIVE_TOKEN, '--dry-run'],
    ].map(async (words) => printedBy(await box.ralph(words, { env: ENV }), words.join(' '))),
  )
  return Object.assign({}, ...answers)
}

const VERBATIM = ['events file', 'journal']

describe.concurrent('secrets stand only where a result must arrive as it was written', () => {
  test.each([['--json'], ['-v']])('of a program that talks text, with %s', async (flag) => {
    await using box = sandbox()
    configure(box, F({ event_loop: { max_iterations: 4 } }))
    agentScript(box, [
      `echo "out $STDOUT_API_KEY ${SECRETS.FORM_ANTHROPIC}"; echo "err $STDERR_TOKEN ${SECRETS.FORM_GITHUB}" >&2
       printf %s "\${PIECES_API_KEY:0:7}"; sleep 0.2; printf '%s\\n' "\${PIECES_API_KEY:7}"
       LINE "$BAD_LINE_TOKEN"; LINE "{$(printf %085d 0) $BAD_LINE_TOKEN"; EMIT go "see $PAYLOAD_TOKEN"; echo nothing more`,
      'echo "$DYING_API_KEY" >&2; echo "$DYING_API_KEY"; exit 7',
      'SAY "$FINAL_API_KEY"; SAY LOOP_COMPLETE',
    ])
    const done = await box.ralph(['run', '-p', `use ${SECRETS.OBJECTIVE_TOKEN}`, flag], { env: ENV })
    expect(done.code).toBe(0)
    expect(done.stdout).toContain(SECRETS.FINAL_API_KEY)
    expect(box.read(main(box))).toContain('use [redacted OBJECTIVE_TOKEN]')
    expect(whereabouts(box, { ...printedBy(done, 'run'), ...(await asked(box)) })).toEqual({
      // To go on with the run.
      OBJECTIVE_TOKEN: ['journal'],
      // What a program of text prints is its final message.
      STDOUT_API_KEY: ['journal'],
      PIECES_API_KEY: ['journal'],
      FORM_ANTHROPIC: ['journal'],
      PAYLOAD_TOKEN: VERBATIM,
      // The agent's own line.
      BAD_LINE_TOKEN: ['events file'],
      FINAL_API_KEY: ['journal', 'stdout of run'],
    })
  })

  test.each([['--json'], ['-v']])('of a program that talks JSON, with %s', async (flag) => {
    await using box = sandbox()
    configure(box, FP({ event_loop: { max_iterations: 4 } }))
    const padding = 'x'.repeat(190)
    const tool = (what: string): string => `printf '%s\\n' '{"type":${what}}'`
    claudeScript(box, [
      `${tool(`"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"curl '"$TOOL_TOKEN"' ${padding} '"$TOOL_TOKEN"'"}}]}`)}
       ${tool(`"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"'"$TOOL_TOKEN"' ${padding} '"$TOOL_TOKEN"'"}]}`)}
       SAY "part \${PIECES_API_KEY:0:6}"; SAY "\${PIECES_API_KEY:6}"; SAY "and the end"
       echo "$STDERR_TOKEN" >&2; EMIT go; SAY "final $FINAL_API_KEY ${SECRETS.FORM_GOOGLE}"`,
      `echo "err $DYING_API_KEY" >&2; trap - EXIT
       printf '%s\\n' '{"type":"result","subtype":"error","is_error":true,"result":"401 bad key '"$DYING_API_KEY"'"}'; exit 1`,
      'SAY LOOP_COMPLETE',
    ])
    const done = await run(box, [flag], { env: ENV })
    expect(done.code).toBe(0)
    expect(whereabouts(box, { ...printedBy(done, 'run'), ...(await asked(box)) })).toEqual({
      FINAL_API_KEY: ['journal'],
      FORM_GOOGLE: ['journal'],
    })
  })

  test.each([['--json'], ['-v']])('of a wave, with %s', async (flag) => {
    await using box = sandbox()
    configure(box, FW())
    const padding = 'y'.repeat(185)
    roleScript(box, {
      disp: `WAVE item.go "$PAYLOAD_TOKEN" "${padding} $STDOUT_API_KEY" c`,
      work: {
        0: 'EMIT item.done "r0 $FINAL_API_KEY"',
        1: `echo "$DYING_API_KEY ${SECRETS.FORM_GITHUB}" >&2; exit 3`,
        2: 'LINE "$BAD_LINE_TOKEN"; SAY "$TOOL_TOKEN"',
      },
      agg: 'EMIT LOOP_COMPLETE ok',
    })
    const done = await run(box, [flag], { env: ENV })
    expect(done.code).toBe(0)
    expect(whereabouts(box, { ...printedBy(done, 'run'), ...(await asked(box)) })).toEqual({
      PAYLOAD_TOKEN: VERBATIM,
      STDOUT_API_KEY: VERBATIM,
      FINAL_API_KEY: [...VERBATIM, 'result file'],
      TOOL_TOKEN: [...VERBATIM, 'result file'],
    })
  })

  test('of a text in pieces nothing else is lost or changed', async () => {
    await using box = sandbox()
    configure(box, FP({ event_loop: { max_iterations: 1 } }))
    const words = ['sk', '- and ', 'key', ' of tokens, ', 'ghp', '_x ', 'bad-line']
    claudeScript(box, words.map((word) => `SAY ${JSON.stringify(word)}`).join('; '))
    const done = await run(box, ['--json'], { env: ENV })
    const deltas = done.stdout
      .split('\n')
      .filter((line) => line.includes('"text_delta"'))
      .map((line): string => JSON.parse(line).delta)
    expect(deltas.join('')).toBe(words.join(''))
  })
})
