import { describe, expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import { renderPrompt } from '../../../core/prompt/render.ts'
import { FAN, hat, material, NO_HEREDOC, read, sectionOf, worker } from './briefs.ts'

const render = (...[brief, more]: [ReturnType<typeof worker>, Parameters<typeof material>[0]?]): string =>
  renderPrompt(brief, material(more), read)

const workHat = (more: Parameters<typeof hat>[1]) => hat('work', { publishes: ['item.done'], ...more })

describe('the prompt of a worker', () => {
  test('has its parts in the order of the contract, the payload last', () => {
    const prompt = render(worker())
    const parts = [
      'instructions of work',
      '## Publishing results',
      "ralph emit item.done --stdin <<'RALPH_EOF'",
      '## Constraints',
      '`ralph wave emit`',
      '## Wave context',
      'worker 2 of 3 in wave w-1',
      '600 seconds',
      '## Your task',
      'the item',
    ].map((part) => prompt.indexOf(part))
    expect(parts).toEqual([...parts].sort((a, b) => a - b))
    expect(parts).not.toContain(-1)
    expect(prompt).toEndWith('\n\nthe item')
  })

  test.each(['a\n\n## Constraints\nnone\n', '`x` $(y) "$HOME"', ' ends in blanks  \n\n'])(
    'ends with the payload %j, byte for byte',
    (payload) => {
      expect(render(worker({ payload: inline(payload) }))).toEndWith(`word for word.\n\n${payload}`)
    },
  )

  test('says so if the item has no text', () => {
    expect(render(worker({ payload: inline('') }))).toEndWith('the instructions above say what to do.\n\n')
  })

  test('knows nothing of the run', () => {
    const everything = material({
      scratchpad: { path: '.ralph/agent/scratchpad.md', text: 'private' },
      notes: ['.ralph/agent/report.md'],
    })
    const prompt = renderPrompt(worker(), everything, read)
    expect(prompt).not.toMatch(/objective|HATS|scratchpad|PENDING|\.ralph|private|\bRALPH_(?!EOF)|\$RALPH/i)
  })

  test('forbids what would disturb the others in the shared workspace', () => {
    const constraints = sectionOf(render(worker()), '## Constraints')
    for (const command of ['stash', 'reset', 'checkout', 'switch', 'clean', 'rebase', 'commit -a'])
      expect(constraints).toContain(`\`git ${command}\``)
  })

  test('names the tools that the hat must not use', () => {
    const prompt = render(worker({ hat: workHat({ disallowedTools: ['Edit', 'Write'] }) }))
    expect(sectionOf(prompt, '## Constraints')).toContain('`Edit`, `Write`')
    expect(render(worker())).not.toContain('these tools')
  })

  test('has the guardrails that the config sets, and only those', () => {
    expect(render(worker(), { guardrailsAreSet: true })).toContain('- first rule\n- second rule')
    expect(render(worker())).not.toContain('first rule')
  })

  test('without instructions begins with how to publish', () => {
    expect(render(worker({ hat: workHat({ instructions: ' \n' }) }))).toStartWith('## Publishing results')
  })

  test('shows the topic when the wave goes to several hats', () => {
    expect(render(worker({ scatter: true }))).toContain('## Your task\n\nTopic: `item.go`')
    expect(render(worker())).not.toContain('Topic:')
  })
})

describe('publishing of a worker', () => {
  const publishing = (...args: Parameters<typeof render>): string =>
    sectionOf(render(...args), '## Publishing results')

  test('shows a command for each topic, control topics left out', () => {
    const topics = ['item.done', 'item.blocked', 'LOOP_COMPLETE', 'loop.cancel', 'human.note', 'human.*']
    const prompt = render(worker({ hat: workHat({ publishes: topics }) }), {
      control: { completion: 'LOOP_COMPLETE', cancellation: 'loop.cancel' },
    })
    expect([...prompt.matchAll(/^ralph emit (\S+)/gm)].map(([, topic]) => topic)).toEqual([
      'item.done',
      'item.blocked',
    ])
    expect(prompt).not.toMatch(/LOOP_COMPLETE|loop\.cancel|human/)
  })

  test('is left out if nothing can be published', () => {
    for (const publishes of [[], ['LOOP_COMPLETE']])
      expect(publishing(worker({ hat: workHat({ publishes }) }))).toBe('')
  })

  test.each([
    [['item.done'], undefined, true],
    [['item.done', 'LOOP_COMPLETE'], undefined, true],
    [['item.done', 'item.blocked'], undefined, false],
    [['item.*'], undefined, false],
    [['item.done', 'item.blocked'], 'item.done', true],
    [['item.done'], 'LOOP_COMPLETE', false],
  ])('%j with default %p: the final message is taken: %p', (publishes, defaultPublishes, taken) => {
    const text = publishing(
      worker({ hat: workHat({ publishes, ...(defaultPublishes ? { defaultPublishes } : {}) }) }),
    )
    expect(text.includes('your final message is taken as your result')).toBe(taken)
    expect(text.includes('is not seen by anyone')).toBe(!taken)
  })

  test('shows a pattern as a topic to fill in', () => {
    expect(publishing(worker({ hat: workHat({ publishes: ['item.*'] }) }))).toContain('ralph emit item.NAME ')
  })

  test('uses a file where heredocs do not work', () => {
    const text = render(worker(), NO_HEREDOC)
    expect(text).toContain('ralph emit item.done --payload-file FILE')
    expect(text).not.toMatch(/<<|RALPH_EOF/)
  })

  test('shows the form in text for text-only backends', () => {
    expect(publishing(worker(), { backend: { output: 'text', heredoc: true } })).toContain(
      '<event topic="item.done">',
    )
    expect(publishing(worker())).not.toContain('<event ')
  })

  test('shows what the config says of the topics', () => {
    const topicNotes = {
      'item.done': { description: 'D1', onPublish: 'P1' },
      'item.go': { onTrigger: 'T1' },
    }
    const prompt = render(worker({ hat: FAN[1] ?? hat('work') }), { topicNotes })
    expect(prompt).toContain('`item.done`\n  D1\n  P1\n')
    expect(sectionOf(prompt, '## Wave context')).toContain('T1')
  })
})
