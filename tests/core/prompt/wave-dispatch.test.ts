import { describe, expect, test } from 'bun:test'
import { renderPrompt } from '../../../core/prompt/render.ts'
import { renderWaveDispatch, waveRoutes } from '../../../core/prompt/wave-dispatch.ts'
import { createTopology } from '../../../core/topology.ts'
import {
  AGGREGATE,
  CHAIN,
  FAN,
  hat,
  iteration,
  material,
  NO_HEREDOC,
  read,
  SCATTER,
  sectionOf,
} from './briefs.ts'

const render = (...args: Parameters<typeof iteration>): string =>
  renderPrompt(iteration(...args), material(), read)

describe('the Wave Dispatch section appears for', () => {
  test.each([
    ['a hat that reaches one with concurrency above 1', FAN, ['disp']],
    ['a hat that reaches several of one aggregator', SCATTER, ['disp']],
    ['the coordinator, over the triggers of all hats', FAN, []],
    ['the coordinator, for hats that share an aggregator', SCATTER, []],
  ])('%s', (_, hats, active) => {
    expect(render(hats, active)).toContain('### Wave Dispatch')
  })
})

describe('it does not appear for', () => {
  test.each([
    ['an aggregator that only ends the run', FAN, ['agg']],
    ['a hat that reaches one with concurrency 1', CHAIN, ['a']],
    ['a hat that publishes nothing', [hat('quiet', { triggers: ['t'] }), ...FAN], ['quiet']],
    ['a coordinator without such hats', CHAIN, []],
    ['a run without hats', [], []],
  ])('%s', (_, hats, active) => {
    expect(render(hats, active)).not.toContain('Wave Dispatch')
    expect(render(hats, active)).not.toContain('wave emit')
  })
})

describe('its content', () => {
  test('for one hat: a row with topic, hat, description and concurrency, and both commands', () => {
    const dispatch = sectionOf(render(FAN, ['disp']), '### Wave Dispatch')
    expect(dispatch).toContain('| `item.go` | work (`work`) | what work does | 3 |')
    expect(dispatch).toContain("ralph wave emit item.go --payloads '")
    expect(dispatch).toContain("ralph wave emit item.go --jsonl <<'RALPH_EOF'\n{")
    expect(dispatch).not.toContain('--event')
  })

  test('for several hats: a row each, and commands that name a topic for each item', () => {
    const dispatch = sectionOf(render(SCATTER, ['disp']), '### Wave Dispatch')
    for (const id of ['h1', 'h2', 'h3', 'h4']) {
      expect(dispatch).toContain(`| \`${id}.go\` | ${id} (\`${id}\`) | what ${id} does | 1 |`)
      expect(dispatch).toContain(`--event ${id}.go='`)
      expect(dispatch).toContain(`{"topic":"${id}.go",`)
    }
    expect(dispatch).toContain("ralph wave emit --jsonl <<'RALPH_EOF'\n")
    expect(dispatch).not.toContain('--payloads ')
  })

  test('stands after the publishing guide, which points to it', () => {
    const prompt = render(FAN, ['disp'])
    expect(prompt.indexOf('### Publishing')).toBeLessThan(prompt.indexOf('### Wave Dispatch'))
    expect(sectionOf(prompt, '### Publishing')).toContain('Wave Dispatch below')
  })

  test('takes items from a file where heredocs do not work', () => {
    for (const [hats, command] of [
      [FAN, 'ralph wave emit item.go --jsonl --payloads-file FILE'],
      [SCATTER, 'ralph wave emit --jsonl --payloads-file FILE'],
    ] as const) {
      const dispatch = renderWaveDispatch(
        hats[0]?.publishes ?? [],
        createTopology(hats),
        material(NO_HEREDOC),
      )
      expect(dispatch).toContain(command)
      expect(dispatch).not.toContain('<<')
    }
  })

  test('shows what the config says of a topic', () => {
    const topicNotes = { 'item.go': { description: 'one file' } }
    expect(renderWaveDispatch(['item.go'], createTopology(FAN), material({ topicNotes }))).toContain(
      '| what work does · one file |',
    )
  })
})

describe('routes of a wave', () => {
  const routes = (publishes: readonly string[], hats: Parameters<typeof createTopology>[0]) =>
    waveRoutes(publishes, createTopology(hats)).map(({ topic, kind }) => `${topic} ${kind}`)

  test.each([
    ['a pattern stands for the concrete triggers that it covers', ['item.*'], FAN, ['item.go splitter']],
    ['a topic given twice is one route', ['item.go', 'item.*'], FAN, ['item.go splitter']],
    ['an aggregator gets no items', ['item.go', 'item.done'], FAN, ['item.go splitter']],
    ['one of several hats alone is no scatter', ['h1.go'], SCATTER, []],
    ['a chain of hats shares no aggregator', ['work.start', 'item.go'], FAN, ['item.go splitter']],
  ])('%s', (_, publishes, hats, expected) => {
    expect(routes(publishes, hats)).toEqual(expected)
  })

  test('hats that share a receiver without aggregate are no scatter', () => {
    const hats = SCATTER.map(({ aggregate: _, ...rest }) => rest)
    expect(routes(['h1.go', 'h2.go'], hats)).toEqual([])
  })

  test('an aggregator that feeds another one is no part of a scatter', () => {
    const hats = [
      hat('a', { triggers: ['a'], publishes: ['last'] }),
      hat('first', { triggers: ['b'], publishes: ['last'], aggregate: AGGREGATE }),
      hat('second', { triggers: ['last'], aggregate: AGGREGATE }),
    ]
    expect(routes(['a', 'b'], hats)).toEqual([])
  })

  test('hats of different aggregators are no scatter', () => {
    const hats = [
      hat('a', { triggers: ['a'], publishes: ['a.done'] }),
      hat('b', { triggers: ['b'], publishes: ['b.done'] }),
      hat('agg-a', { triggers: ['a.done'], aggregate: AGGREGATE }),
      hat('agg-b', { triggers: ['b.done'], aggregate: AGGREGATE }),
    ]
    expect(routes(['a', 'b'], hats)).toEqual([])
  })
})
