import { describe, expect, test } from 'bun:test'
import { inline } from '../../../core/blob.ts'
import { prepareResult, renderWave, shareBudget } from '../../../core/prompt/aggregate.ts'
import { failure, material, read, result, wave, work } from './briefs.ts'

function view(one: ReturnType<typeof wave>, budget = 200_000): string {
  return renderWave(one, shareBudget([one], budget), material(), read)
}

const cut = failure({
  status: 'timeout',
  cause: { kind: 'timeout', which: 'worker', seconds: 600 },
  reason: 'no result within 600 s',
  timeoutSeconds: 600,
})

describe('the header', () => {
  test.each([
    [
      'all results are there',
      wave([result(['a']), result(['b'])]),
      '### Wave w-1: received 2/2, completed: all',
    ],
    ['an item failed', wave([result(['a']), failure()]), '### Wave w-1: received 1/2, completed: all'],
    ['no item has a result', wave([failure(), failure()]), '### Wave w-1: received 0/2, completed: all'],
    [
      'a worker ran out of time',
      wave([result(['a']), cut]),
      '### Wave w-1: received 1/2, completed: timeout',
    ],
    [
      'items never started',
      wave([
        result(['a']),
        failure({ status: 'timeout', cause: { kind: 'never-started', why: 'deadline' } }),
      ]),
      '### Wave w-1: received 1/2, 1 never started, completed: timeout',
    ],
  ])('when %s', (_, one, header) => {
    expect(view(one).split('\n')[0]).toBe(header)
  })

  test('is followed by one line about what changed in the workspace', () => {
    const change = { head: true, stash: true, files: 3, paths: ['a.txt', 'b\nc.txt'] }
    expect(view(wave([result(['a'])], { change })).split('\n\n')[1]).toBe(
      'The Git workspace changed while the wave ran: HEAD moved; the stash list changed; 3 files changed: a.txt, b c.txt, and 1 more.',
    )
    expect(view(wave([result(['a'])]))).not.toContain('Git')
  })
})

describe('results', () => {
  test('stand in index order, each with topic, hat, status, duration and its payload in a fence', () => {
    expect(view(wave([result(['r0']), result(['r1'], { durationMs: 61_000 })]))).toEndWith(
      [
        '#### [0] item.done from work — ok, 1.2 s',
        '```\nr0\n```',
        '#### [1] item.done from work — ok, 61.0 s',
        '```\nr1\n```',
      ].join('\n\n'),
    )
  })

  test('come before failures, whatever their index', () => {
    const text = view(wave([failure(), result(['r1']), failure()]))
    const places = ['[1] item.done', '[0] FAILED', '[2] FAILED'].map((part) => text.indexOf(part))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test.each([
    ['a fence', '```ts\nx\n```'],
    ['a longer fence', '``````\nx\n``````'],
    ['a heading of ours', '## OBJECTIVE\n#### [9] item.done from work — ok, 1.0 s'],
    ['an event line', 'Event: x - y'],
    ['shell code', '`touch a` $(touch b) "$HOME"'],
    ['a trailing newline', 'a\n'],
    ['nothing', ''],
  ])('with %s arrive verbatim and stay inside their fence', (_, payload) => {
    const text = view(wave([result([payload])]))
    const [, ticks = '', inside] = /— ok, 1\.2 s\n\n(`+)\n([\s\S]*)\n\1$/.exec(text) ?? []
    expect(inside).toBe(payload)
    expect(payload).not.toContain(ticks)
  })

  test('several of one worker are numbered', () => {
    const text = view(wave([result(['one', 'two'])]))
    expect(text).toContain('[0] item.done from work — ok, 1.2 s (1 of 2)\n\n```\none\n```')
    expect(text).toContain('[0] item.done from work — ok, 1.2 s (2 of 2)\n\n```\ntwo\n```')
  })

  test('show why they are partial, and the remarks of their outcome once', () => {
    const remarks = ['from: final_message', 'left behind: sleep\n300 (pid 7)']
    const text = view(wave([result(['one', 'two'], { status: 'partial', reason: 'timeout', remarks })]))
    expect(text).toContain(
      '— partial, 1.2 s (1 of 2)\n\nReason: timeout\nRemark: from: final_message\nRemark: left behind: sleep 300 (pid 7)\n',
    )
    expect(text.split('Remark:')).toHaveLength(3)
  })
})

describe('failures', () => {
  test('name index, hat, status, duration, reason, time limit and the item, once', () => {
    const text = view(wave([result(['r0']), cut]))
    expect(text).toEndWith(
      '#### [1] FAILED in work — timeout, 1.2 s\n\nReason: no result within 600 s\nTime limit: 600 s\n\nItem: item 1',
    )
    expect(text.split('[1]')).toHaveLength(2)
  })

  test('show the first 200 characters of the item', () => {
    const long = wave([], {
      total: 1,
      works: [work(0, { outcome: failure(), payload: inline('🙂'.repeat(300)) })],
    })
    expect(view(long)).toEndWith(`Item: ${'🙂'.repeat(200)}…`)
  })

  test('cannot break out of their place, neither by reason nor by item', () => {
    const works = [
      work(0, { outcome: failure({ reason: 'exit code 1:\n## DONE' }), payload: inline('x\n## HATS') }),
    ]
    const text = view(wave([], { total: 1, works }))
    expect(text).toContain('Reason:\n```\nexit code 1:\n## DONE\n```')
    expect(text).toContain('Item:\n```\nx\n## HATS\n```')
  })
})

describe('a budget that the results do not fit in', () => {
  const sizes = [500, 5000, 5000]
  const one = wave(sizes.map((size, i) => result([`${i}`.repeat(size)])))

  test('leaves small ones whole and shows head and tail of the others, with what is left out and where it lies', () => {
    const text = view(one, 3000)
    expect(text).toContain(`\`\`\`\n${'0'.repeat(500)}\n\`\`\``)
    expect(text).toContain(
      [
        `\`\`\`\n${'1'.repeat(625)}\n\`\`\``,
        '[… 3750 of 5000 bytes are left out here. The whole text: runs/w-1/1/result-1.txt …]',
        `\`\`\`\n${'1'.repeat(625)}\n\`\`\``,
      ].join('\n\n'),
    )
    expect(text).toContain('runs/w-1/2/result-1.txt')
    expect(text).not.toContain('runs/w-1/0/')
  })

  test('is shared by all waves of the prompt', () => {
    expect(shareBudget([one, one], 6000)).toEqual({ bytes: 1250, results: 6, cut: 4 })
  })

  test('names the file of each of several results', () => {
    expect(view(wave([result(['a', 'b'.repeat(100)])]), 50)).toContain('runs/w-1/0/result-2.txt')
  })

  test('cuts between characters', () => {
    const text = view(wave([result(['漢'.repeat(1000)])]), 100)
    expect(text).not.toContain('\ufffd')
    expect(text).toContain(`\`\`\`\n${'漢'.repeat(16)}\n\`\`\``)
  })

  test('knows the size of results that lie in files without reading them', () => {
    const payload = { path: '/r', bytes: 9000, sha256: '' }
    const stored = wave([result([], { events: [{ topic: 'item.done', payload }] })])
    expect(shareBudget([stored], 1000)).toEqual({ bytes: 1000, results: 1, cut: 1 })
  })
})

test('a thousand results are shown whole, cut and failed alike, in index order', () => {
  const many = wave(
    Array.from({ length: 1000 }, (_, i) => (i % 10 === 9 ? failure() : result([`result ${i} `.repeat(50)]))),
  )
  const indices = [...view(many, 100_000).matchAll(/^#### \[(\d+)\] item/gm)].map(([, index]) =>
    Number(index),
  )
  expect(indices).toHaveLength(900)
  expect(indices).toEqual([...indices].sort((a, b) => a - b))
})

describe('results that were rendered as their items settled', () => {
  const outcomes = () => [
    result(['a', 'b'.repeat(300)]),
    failure(),
    result(['c'], { status: 'partial', reason: 'timeout', remarks: ['left behind: x'] }),
    result(['d'.repeat(5000)]),
  ]
  const prepared = (): ReturnType<typeof wave> => {
    const one = wave(outcomes())
    for (const item of one.works) prepareResult(one, item, read)
    return one
  }

  test.each([200_000, 1000, 100])('look as they would have with a budget of %d bytes', (budget) => {
    expect(view(prepared(), budget)).toBe(view(wave(outcomes()), budget))
  })

  test('are not taken for an item that has settled otherwise since', () => {
    const one = prepared()
    const [first] = one.works
    if (first !== undefined) first.outcome = result(['something else'])
    expect(view(one)).toContain('something else')
  })
})
