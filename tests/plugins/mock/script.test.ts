import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { answersNudge, type Cue, chooseSteps } from '../../../plugins/mock/script/choose.ts'
import { parseScript } from '../../../plugins/mock/script/load.ts'
import type { Script } from '../../../plugins/mock/script/schema.ts'
import type { Step } from '../../../plugins/mock/step.ts'

function script(text: string): Script {
  const loaded = parseScript('m.yml', text, null)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return loaded.script
}

function problems(text: string, actors: readonly string[] | null = null): readonly string[] {
  const loaded = parseScript('m.yml', text, actors)
  return loaded.ok ? [] : loaded.problems
}

describe('each step is read as what it is', () => {
  const STEPS: [yaml: string, step: Step][] = [
    ['say: hello', { kind: 'say', text: 'hello' }],
    ['say: 7', { kind: 'say', text: '7' }],
    ['think: hm', { kind: 'think', text: 'hm' }],
    [
      'tool: {name: Read, input: a.ts}',
      { kind: 'tool', name: 'Read', input: 'a.ts', output: '', failed: false },
    ],
    ['run: exit 1', { kind: 'run', command: 'exit 1' }],
    ['emit: {topic: a.b}', { kind: 'emit', topic: 'a.b', payload: null, json: false }],
    ['emit: {topic: a.b, payload: x}', { kind: 'emit', topic: 'a.b', payload: { text: 'x' }, json: false }],
    [
      'emit: {topic: a.b, file: f, json: true}',
      { kind: 'emit', topic: 'a.b', payload: { file: 'f' }, json: true },
    ],
    [
      'wave: {topic: i.go, payloads: [a, 2]}',
      {
        kind: 'wave',
        items: [
          { topic: 'i.go', payload: 'a' },
          { topic: 'i.go', payload: '2' },
        ],
      },
    ],
    [
      'wave: {topic: i.go, items: [{payload: a}, {topic: j.go, payload: b}]}',
      {
        kind: 'wave',
        items: [
          { topic: 'i.go', payload: 'a' },
          { topic: 'j.go', payload: 'b' },
        ],
      },
    ],
    ['sleep: 0.5', { kind: 'sleep', seconds: 0.5 }],
    [
      'fail: {class: rate_limit, message: m, retry_after_seconds: 1}',
      { kind: 'fail', class: 'rate_limit', message: 'm', retryAfterSeconds: 1 },
    ],
    ['exit: 3', { kind: 'exit', code: 3 }],
    ['print_mb: 2', { kind: 'print_mb', stdout: 2, stderr: 0 }],
    ['print_mb: {stderr: 1}', { kind: 'print_mb', stdout: 0, stderr: 1 }],
    ['cost: 0.25', { kind: 'cost', usd: 0.25 }],
    ['usage: {input: 5}', { kind: 'usage', input: 5, output: 0, cacheRead: 0, cacheWrite: 0 }],
    ['end: done', { kind: 'end', text: 'done' }],
    ['hang', { kind: 'hang' }],
    ['ignore_term', { kind: 'ignore_term' }],
    ['play', { kind: 'play' }],
  ]
  for (const [yaml, step] of STEPS)
    test(yaml, () =>
      expect(
        script(`hats:
  a:
    - ${yaml}
`).hats.a,
      ).toEqual([step]),
    )
})

describe('a mistake is told with file, line, column and path', () => {
  const MISTAKES: [name: string, yaml: string, message: string][] = [
    ['an unknown step', 'hats:\n  a:\n    - emitt: {topic: x}\n', 'm.yml:3:7: hats.a.0.emitt: is no step'],
    ['an unknown word', 'hats:\n  a:\n    - hangs\n', 'm.yml:3:7: hats.a.0: "hangs" is no step'],
    [
      'two keys in a step',
      'hats:\n  a:\n    - say: x\n      sleep: 1\n',
      'm.yml:4:7: hats.a.0.sleep: a step has one key',
    ],
    [
      'an unknown key in a step',
      'hats:\n  a:\n    - emit: {topic: x, payloads: y}\n',
      'm.yml:3:24: hats.a.0.emit.payloads: is not known here; there are topic, payload, file, json',
    ],
    [
      'an unknown class',
      'hats:\n  a:\n    - fail: {class: tired}\n',
      'm.yml:3:14: hats.a.0.fail.class: "tired" is none of auth',
    ],
    ['a wrong type', 'hats:\n  a:\n    - sleep: long\n', 'm.yml:3:7: hats.a.0.sleep: must be a number'],
    [
      'payload and file',
      'hats:\n  a:\n    - emit: {topic: x, payload: y, file: z}\n',
      'has both `payload` and `file`',
    ],
    ['a wave without a topic', 'hats:\n  a:\n    - wave: {payloads: [y]}\n', 'needs a `topic`'],
    ['a wave of nothing', 'hats:\n  a:\n    - wave: {topic: y}\n', 'needs either `payloads` or `items`'],
    [
      'an attempt 0',
      'hats:\n  a:\n    attempts:\n      0: [hang]\n',
      'm.yml:4:7: hats.a.attempts.0: must be a number from 1',
    ],
    ['an unknown branch', 'hats:\n  a:\n    times: [[hang]]\n', 'm.yml:3:5: hats.a.times'],
    ['an empty entry', 'hats:\n  a: {}\n', 'm.yml:2:3: hats.a: needs `steps`'],
    ['an unknown key at the top', 'hat:\n  a: []\n', 'm.yml:1:1: '],
    ['no YAML', 'hats: [\n', 'm.yml:2:1: '],
    ['the same hat twice', 'hats:\n  a: [hang]\n  a: [hang]\n', 'm.yml:3:3: Map keys must be unique'],
  ]
  for (const [name, yaml, message] of MISTAKES)
    test(name, () => expect(problems(yaml).join('\n')).toContain(message))

  test('all mistakes are told at once', () => {
    expect(problems('hats:\n  a: [hangs]\n  b: [{sleep: -1}]\n')).toHaveLength(2)
  })

  test('a hat that the run does not have is a mistake', () => {
    expect(problems('hats:\n  a: [hang]\n  b: [hang]\n', ['a'])).toEqual([
      'm.yml:3:3: hats.b: no hat of this run has this name; there are a',
    ])
  })
})

const CUE: Cue = { actor: '', start: 1, attempt: 1, index: null, nudged: false }

describe('who gets which steps', () => {
  const SCRIPT = script(
    `
    hats:
      plain: [{say: plain}]
      turns: {turns: [[{say: first}], [{say: second}]]}
      turned: {turns: [[{say: first}]], steps: [{say: later}]}
      tried: {attempts: {1: [{say: bad}]}, steps: [{say: good}]}
      worker:
        items: {1: {attempts: {1: [{say: 'item 1, once'}]}, steps: [{say: item 1}]}}
        attempts: {2: [{say: again}]}
        steps: [{say: any item}]
      partly: {items: {0: [{say: zero}]}}
      forgetful: {items: {1: {steps: [{say: one}], nudged: [{say: one now}]}}, nudged: [{say: now}], steps: [{say: any}]}
      coordinator: [{say: coordinator}]
    `,
  )
  const CUES: [cue: Partial<Cue>, said: string | null][] = [
    [{ actor: 'plain', start: 7 }, 'plain'],
    [{ actor: 'turns', start: 1 }, 'first'],
    [{ actor: 'turns', start: 2 }, 'second'],
    [{ actor: 'turns', start: 9 }, 'second'],
    [{ actor: 'turned', start: 2 }, 'later'],
    [{ actor: 'tried', attempt: 1 }, 'bad'],
    [{ actor: 'tried', attempt: 2 }, 'good'],
    [{ actor: 'worker', index: 0 }, 'any item'],
    [{ actor: 'worker', index: 0, attempt: 2 }, 'again'],
    [{ actor: 'worker', index: 1 }, 'item 1, once'],
    [{ actor: 'worker', index: 1, attempt: 2 }, 'item 1'],
    [{ actor: 'partly', index: 1 }, null],
    [{ actor: 'forgetful', index: 0 }, 'any'],
    [{ actor: 'forgetful', index: 0, attempt: 2, nudged: true }, 'now'],
    [{ actor: 'forgetful', index: 1, attempt: 2, nudged: true }, 'one now'],
    [{ actor: '(coordinator)' }, 'coordinator'],
    [{ actor: 'somebody' }, null],
  ]
  for (const [cue, said] of CUES)
    test(`${JSON.stringify(cue)}: ${said ?? 'plays by itself'}`, () => {
      const steps = chooseSteps(SCRIPT, { ...CUE, ...cue }, [])
      expect(steps).toEqual(said === null ? null : [{ kind: 'say', text: said }])
    })

  test('a hat with the id `coordinator` is not the built-in one', () => {
    const cue = { ...CUE, actor: '(coordinator)' }
    expect(chooseSteps(SCRIPT, cue, ['coordinator'])).toBeNull()
  })

  test('`*` plays everybody who has no entry', () => {
    const all = script('hats: {"*": [hang], a: [play]}')
    expect(chooseSteps(all, { ...CUE, actor: 'b' }, ['a', 'b'])).toEqual([{ kind: 'hang' }])
    expect(chooseSteps(all, { ...CUE, actor: 'a' }, ['a', 'b'])).toEqual([{ kind: 'play' }])
  })

  test('a worker can be asked once more where the script says what it then does', () => {
    expect(answersNudge(SCRIPT, { ...CUE, actor: 'forgetful', index: 0 }, [])).toBeTrue()
    expect(answersNudge(SCRIPT, { ...CUE, actor: 'worker', index: 0 }, [])).toBeFalse()
    expect(answersNudge(SCRIPT, { ...CUE, actor: 'somebody' }, [])).toBeFalse()
  })
})

test('the documentation names every step and every failure class', () => {
  const page = readFileSync(resolve(import.meta.dir, '../../../docs/mock-scripts.md'), 'utf8')
  const [mistake = ''] = problems('hats: {a: [{x: 1}, {fail: {class: x}}, x]}')
  const [, classes = '', words = ''] = problems('hats: {a: [{x: 1}, {fail: {class: x}}, x]}')
  const names = (message: string): readonly string[] =>
    message
      .split(/ are | of /)
      .at(-1)
      ?.split(', ') ?? []
  for (const name of [...names(mistake), ...names(words)]) expect(page).toContain(`| \`${name}`)
  for (const name of names(classes)) expect(page).toContain(`\`${name}\``)
  expect([...names(mistake), ...names(words), ...names(classes)].length).toBeGreaterThan(25)
})
