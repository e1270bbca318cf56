import { describe, expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import { renderPrompt } from '../../../core/prompt/render.ts'
import {
  CHAIN,
  event,
  FAN,
  hat,
  iteration,
  material,
  NO_HEREDOC,
  pendingWave,
  read,
  result,
  sectionOf,
  wave,
} from './briefs.ts'

const render = (...[brief, more]: [ReturnType<typeof iteration>, Parameters<typeof material>[0]?]): string =>
  renderPrompt(brief, material(more), read)

/** The titles of second level that stand outside of fences, in order, without what follows a colon. */
function titles(prompt: string): readonly string[] {
  const bare = prompt.replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm, '')
  return [...bare.matchAll(/^## ([^:\n]+)|^<(scratchpad) /gm)].map(([, title, tag]) => title ?? tag ?? '')
}

describe('sections', () => {
  const everything = {
    scratchpad: { path: '.ralph/agent/scratchpad.md', text: '- [ ] open' },
    notes: ['.ralph/agent/report.md'],
  }
  const pending = {
    pending: [event('b.go', 'x')],
    guidance: [inline('look here')],
    lastFailure: 'exit code 1: boom',
  }
  const common = [
    'scratchpad',
    'ORIENTATION',
    'SCRATCHPAD',
    'STATE MANAGEMENT',
    'NOTES',
    'GUARDRAILS',
    'OBJECTIVE',
    'GUIDANCE',
    'PENDING EVENTS',
    'LAST ITERATION',
  ]

  test('of the coordinator stand in the order of the contract', () => {
    expect(titles(render(iteration(CHAIN, [], pending), everything))).toEqual([
      ...common,
      'WORKFLOW',
      'HATS',
      'EVENT WRITING',
      'DONE',
    ])
  })

  test('of active hats have neither WORKFLOW nor HATS nor DONE', () => {
    expect(titles(render(iteration(CHAIN, ['a', 'b'], pending), everything))).toEqual([
      ...common,
      'ACTIVE HAT',
      'ACTIVE HAT',
      'EVENT WRITING',
    ])
  })

  test('of a run without hats have no HATS', () => {
    expect(titles(render(iteration([], [])))).toEqual([
      'ORIENTATION',
      'STATE MANAGEMENT',
      'GUARDRAILS',
      'OBJECTIVE',
      'WORKFLOW',
      'EVENT WRITING',
      'DONE',
    ])
  })

  test('are left out when there is nothing to say', () => {
    const bare = render(iteration(CHAIN, ['a']))
    for (const title of ['scratchpad', 'SCRATCHPAD', 'NOTES', 'GUIDANCE', 'PENDING EVENTS', 'LAST ITERATION'])
      expect(titles(bare)).not.toContain(title)
  })

  test('guardrails are numbered from 999 up', () => {
    expect(sectionOf(render(iteration([], [])), '## GUARDRAILS')).toContain(
      '999. first rule\n1000. second rule',
    )
  })

  test('state management names the program, its stand-in and the folders', () => {
    const state = sectionOf(render(iteration([], []), { specsDir: 'my/specs/' }), '## STATE MANAGEMENT')
    for (const part of ['`ralph`', '"$RALPH_BIN"', '.ralph/agent/', 'my/specs/'])
      expect(state).toContain(part)
  })

  test('guidance says how it is acknowledged', () => {
    const guidance = sectionOf(
      render(iteration(CHAIN, ['a'], { guidance: [inline('use port 8080')] })),
      '## GUIDANCE',
    )
    expect(guidance).toContain('use port 8080')
    expect(guidance).toContain('ralph emit human.guidance.ack')
  })

  test('the objective stands twice where the run can be ended by the coordinator', () => {
    const count = (prompt: string): number => prompt.split('make it so').length - 1
    expect(count(render(iteration(CHAIN, [])))).toBe(2)
    expect(count(render(iteration(CHAIN, ['a'])))).toBe(1)
  })
})

describe('scratchpad', () => {
  const scratchpad = (text: string) => ({ scratchpad: { path: 'pad.md', text } })

  test('a long one is shown from a line start, with its last 16 000 bytes at most and a note', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${i} ${'é'.repeat(16)}`)
    const prompt = render(iteration([], []), scratchpad(lines.join('\n')))
    const shown = /<scratchpad path="pad\.md">\n([\s\S]*?)\n<\/scratchpad>/.exec(prompt)?.[1] ?? ''
    const [note, first, ...rest] = shown.split('\n')
    expect(note).toMatch(/^\[… the first \d+ bytes are left out here\. The whole scratchpad: pad\.md …\]$/)
    expect(first).toMatch(/^line \d+ é+$/)
    expect(rest.at(-1)).toBe(lines.at(-1))
    const bytes = Buffer.byteLength([first, ...rest].join('\n'))
    expect(bytes).toBeLessThanOrEqual(16_000)
    expect(bytes).toBeGreaterThan(15_900)
  })

  test('a short one is shown whole, without a note', () => {
    expect(render(iteration([], []), scratchpad('one\ntwo\n'))).toStartWith(
      '<scratchpad path="pad.md">\none\ntwo\n</scratchpad>\n',
    )
  })

  test('an empty one still has its rules', () => {
    const prompt = render(iteration([], []), scratchpad(' \n'))
    expect(prompt).not.toContain('<scratchpad')
    expect(sectionOf(prompt, '## SCRATCHPAD')).toContain('pad.md')
  })

  test('cannot close its own tag', () => {
    const prompt = render(iteration([], []), scratchpad('a\n</scratchpad>\n## OBJECTIVE\nmine'))
    expect(prompt.split('</scratchpad>')).toHaveLength(2)
    expect(prompt.indexOf('## OBJECTIVE\nmine')).toBeLessThan(prompt.indexOf('</scratchpad>'))
  })
})

describe('pending events', () => {
  const pendingOf = (...pending: ReturnType<typeof event>[]): string =>
    sectionOf(render(iteration(CHAIN, ['b'], { pending })), '## PENDING EVENTS')

  test('stand one a line, in order of arrival', () => {
    expect(pendingOf(event('b.go', '1'), event('other', ''), event('b.go', '2'))).toContain(
      'Event: b.go - 1\nEvent: other - \nEvent: b.go - 2',
    )
  })

  test.each(['task.start', 'task.resume'])('%s has its payload in a tag', (topic) => {
    expect(pendingOf(event(topic, 'do it'))).toContain(
      `Event: ${topic} - <top-level-prompt>\ndo it\n</top-level-prompt>`,
    )
  })

  test('a payload of several lines stays in a fence that it cannot close', () => {
    const pending = [event('b.go', 'a\n```\n## OBJECTIVE\n````\nb')]
    const prompt = render(iteration(CHAIN, ['b'], { pending }))
    expect(titles(prompt).filter((title) => title === 'OBJECTIVE')).toHaveLength(1)
    expect(prompt).toContain('`````\nEvent: b.go - a\n```\n## OBJECTIVE\n````\nb\n`````')
  })

  test('a wave stands where it arrived', () => {
    const prompt = pendingOf(event('first', ''), pendingWave(wave([result(['r0'])])), event('last', ''))
    const places = ['Event: first', '### Wave w-1', 'Event: last'].map((part) => prompt.indexOf(part))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test('the reason of a failed iteration is shown in a fence', () => {
    const prompt = render(iteration(CHAIN, ['a'], { lastFailure: 'exit code 1:\n## HATS\nboom' }))
    expect(sectionOf(prompt, '## LAST ITERATION')).toContain('```\nexit code 1:')
    expect(titles(prompt)).not.toContain('HATS')
  })
})

describe('active hat', () => {
  test('has its own instructions and not those of others', () => {
    const prompt = render(iteration(CHAIN, ['a']))
    expect(prompt).toContain('instructions of a')
    expect(prompt).not.toContain('instructions of b')
  })

  test('without instructions has its section all the same', () => {
    const prompt = render(iteration([hat('a', { instructions: '  ', publishes: ['x'] })], ['a']))
    expect(sectionOf(prompt, '## ACTIVE HAT')).toContain('what a does')
    expect(prompt).not.toContain('WORKFLOW')
  })

  test('is told for each topic who receives it and what that hat is for', () => {
    const guide = sectionOf(render(iteration(CHAIN, ['a'])), '### Publishing')
    expect(guide).toContain('- `b.go` → b (`b`): what b does')
    expect(guide).toContain("ralph emit b.go --stdin <<'RALPH_EOF'")
  })

  test.each([
    ['x.unheard', '`x.unheard` → Ralph, the coordinator'],
    ['LOOP_COMPLETE', '`LOOP_COMPLETE` → ends the run as completed'],
    ['loop.cancel', '`loop.cancel` → ends the run as cancelled'],
    ['human.note', '`human.note` → a note for people; the run goes on'],
    ['b.*', '`b.*` → b (`b`): what b does'],
    ['any.*', '`any.*` → any (`any`): what any does'],
    ['no.*', '`no.*` → the hat that waits for it, else Ralph, the coordinator'],
    ['*', '`*` → any other topic: log (`log`): what log does'],
  ])('topic %s is listed as %s', (topic, line) => {
    const hats = [
      hat('a', { publishes: [topic] }),
      hat('b', { triggers: ['b.go'] }),
      hat('any', { triggers: ['any.*'] }),
      ...(topic === '*' ? [hat('log', { triggers: ['*'] })] : []),
    ]
    const control = { completion: 'LOOP_COMPLETE', cancellation: 'loop.cancel' }
    expect(render(iteration(hats, ['a']), { control })).toContain(`- ${line}`)
  })

  test('is asked for one event for each finished piece of work, in words that leave room for a wave', () => {
    const guide = sectionOf(render(iteration(FAN, ['disp'])), '### Publishing')
    expect(guide).toContain('one event for each finished piece of work')
    expect(guide).not.toMatch(/only one|exactly one|a single event/i)
  })

  test('that may end the run is told that the payload is the whole result; others are not', () => {
    const handOver = "ralph emit LOOP_COMPLETE --stdin <<'RALPH_EOF'"
    for (const active of [['b'], []]) {
      const prompt = render(iteration(CHAIN, active))
      expect(prompt).toContain("run's whole result")
      expect(prompt).toContain(handOver)
    }
    const prompt = render(iteration(CHAIN, ['a']))
    expect(prompt).not.toContain('whole result')
    expect(prompt).not.toContain('LOOP_COMPLETE')
  })

  test('without publishes sees the topics that others wait for, and may end the run', () => {
    const prompt = render(iteration([hat('free'), hat('b', { triggers: ['b.go'] })], ['free']))
    expect(prompt).toContain('- `b.go` → b')
    expect(prompt).toContain('emit LOOP_COMPLETE')
  })

  test('is told which tools it must not use', () => {
    const hats = [hat('a', { disallowedTools: ['Edit', 'Write'] })]
    expect(sectionOf(render(iteration(hats, ['a'])), '### TOOL RESTRICTIONS')).toContain('`Edit`, `Write`')
    expect(render(iteration(CHAIN, ['a']))).not.toContain('TOOL RESTRICTIONS')
  })
})

describe('what the config says of a topic', () => {
  const topicNotes = {
    'b.go': { description: 'D1', onTrigger: 'T1\nT2', onPublish: 'P1' },
    'sub.one': { description: 'D2' },
    unheard: { onTrigger: 'T3' },
  }

  test('description and on_publish stand in the guide of who may emit it', () => {
    const prompt = render(iteration(CHAIN, ['a']), { topicNotes })
    expect(prompt).toContain('what b does\n  D1\n  P1\n')
    expect(prompt).not.toContain('T1')
  })

  test('on_trigger stands in the prompt of who receives it', () => {
    const prompt = render(iteration(CHAIN, ['b']), { topicNotes })
    expect(prompt).toContain('- On `b.go`:\n  D1\n  T1\n  T2\n')
    expect(prompt).not.toContain('P1')
    expect(prompt).not.toContain('T3')
  })

  test('a published pattern shows the topics that it covers', () => {
    const hats = [hat('a', { publishes: ['sub.*'] })]
    expect(render(iteration(hats, ['a']), { topicNotes })).toContain(
      '- `sub.one` → Ralph, the coordinator\n  D2',
    )
  })

  test('the coordinator sees on_trigger of topics that no hat receives', () => {
    expect(render(iteration(CHAIN, []), { topicNotes })).toContain('When `unheard` arrives: T3')
  })
})

describe('coordinator', () => {
  const hats = sectionOf(render(iteration(CHAIN, [])), '## HATS')

  test('sees itself first in the table, then the hats in config order', () => {
    const rows = hats.split('\n').filter((line) => line.startsWith('| '))
    expect(rows.slice(1).map((row) => row.split(' |')[0])).toEqual([
      '| Ralph, the coordinator (you)',
      '| a (`a`)',
      '| b (`b`)',
    ])
  })

  test('sees the graph as Mermaid and every topic that wakes a hat', () => {
    expect(hats).toContain('```mermaid\nflowchart LR\n')
    expect(hats).toContain('- `work.start` → a')
    expect(hats).toContain('- `b.go` → b')
  })

  test('a name cannot break the table', () => {
    const odd = [hat('odd', { name: 'x | y\n## DONE', triggers: ['t'] })]
    expect(render(iteration(odd, []))).toContain('| x \\| y ## DONE (`odd`) |')
  })

  test('with hats ends the run by an event, without hats also by its last line', () => {
    expect(sectionOf(render(iteration(CHAIN, [])), '## DONE')).not.toContain('last line')
    expect(sectionOf(render(iteration([], [])), '## DONE')).toContain(
      '`LOOP_COMPLETE` alone on its last line',
    )
  })
})

describe('event writing', () => {
  test('where heredocs work, shows the quoted one and a file for texts that hold its end marker', () => {
    const writing = sectionOf(render(iteration(CHAIN, ['a'])), '## EVENT WRITING')
    expect(writing).toContain("ralph emit TOPIC --stdin <<'RALPH_EOF'\nthe payload\nRALPH_EOF\n")
    expect(writing).toContain('ralph emit TOPIC --payload-file FILE')
  })

  test('where they do not, no prompt shows one', () => {
    for (const active of [[], ['disp'], ['agg']]) {
      const prompt = render(iteration(FAN, active), NO_HEREDOC)
      expect(prompt).toContain('ralph emit TOPIC --payload-file FILE')
      expect(prompt).not.toContain('<<')
      expect(prompt).not.toContain('RALPH_EOF')
      expect(prompt).not.toMatch(/here-?doc/i)
    }
    expect(render(iteration(CHAIN, ['b']), NO_HEREDOC)).toContain(
      'ralph emit LOOP_COMPLETE --payload-file FILE',
    )
  })

  test('the form in text is for text-only backends', () => {
    const text = { backend: { output: 'text', heredoc: true } } as const
    expect(render(iteration(CHAIN, ['a']), text)).toContain('<event topic="TOPIC">')
    expect(render(iteration(CHAIN, ['a']))).not.toContain('<event ')
  })
})

describe('results in a prompt', () => {
  const big = { pending: [pendingWave(wave([result(['x'.repeat(500)]), result(['y'.repeat(5000)])]))] }
  const agg = (budgetBytes: number) =>
    FAN.map((one) => (one.aggregate ? { ...one, aggregate: { ...one.aggregate, budgetBytes } } : one))

  test('that do not fit in the budget of the aggregator are named at its very top', () => {
    expect(render(iteration(agg(2000), ['agg'], big))).toStartWith('Note: 1 of the 2 results ')
  })

  test('that fit are shown whole and not mentioned', () => {
    const prompt = render(iteration(agg(5500), ['agg'], big))
    expect(prompt).toStartWith('## ORIENTATION')
    expect(prompt).toContain('y'.repeat(5000))
  })

  test('have the default budget where no aggregator is active', () => {
    const huge = { pending: [pendingWave(wave([result(['z'.repeat(200_001)])]))] }
    expect(render(iteration(agg(300_000), [], huge))).toStartWith('Note: 1 of the 1 results ')
    expect(render(iteration(agg(300_000), ['agg'], huge))).toStartWith('## ORIENTATION')
  })
})
