import { describe, expect, test } from 'bun:test'
import { fanOut } from '../../../cli/view/fan-out.ts'
import { createInOrder } from '../../../cli/view/in-order.ts'
import { jsonView } from '../../../cli/view/json.ts'
import { resultView } from '../../../cli/view/result.ts'
import { renderToolCall } from '../../../cli/view/tool-call.ts'
import { loopStarted, loopTerminated } from './run-events.ts'

describe('stdout of run --json', () => {
  test('is one object a line, with the fields of the event', () => {
    const lines: string[] = []
    jsonView((text) => lines.push(text))(loopStarted)
    expect(lines).toHaveLength(1)
    expect(lines[0]?.endsWith('}\n')).toBe(true)
    expect(JSON.parse(lines[0] ?? '')).toEqual({ ...loopStarted })
  })

  test('carries foreign text escaped and whole', () => {
    const delta = '\x1b]0;x\x07\x9b2J\u202e日本\n'
    let line = ''
    jsonView((text) => {
      line = text
    })({ type: 'text_delta', iteration: 1, delta })
    expect(line).toContain('\\u001b]0;x\\u0007\\u009b2J\\u202e日本\\n')
    expect(JSON.parse(line).delta).toBe(delta)
  })
})

describe('stdout of a plain run', () => {
  const shown = (event: Parameters<ReturnType<typeof resultView>>[0], isTerminal = false): string => {
    let text = ''
    resultView({ write: (part) => (text += part), isTerminal })(event)
    return text
  }
  test.each([
    ['is the result and a newline', loopTerminated({ result: 'a\nb' }), 'a\nb\n'],
    ['keeps the newline that the result ends with', loopTerminated({ result: 'a\n' }), 'a\n\n'],
    ['is empty for an empty result', loopTerminated({ result: '' }), ''],
    ['is empty without a result', loopTerminated({ result: null }), ''],
    ['is empty on every other end', loopTerminated({ reason: 'max_iterations', result: 'x' }), ''],
    ['is empty until the end', loopStarted, ''],
  ] as const)('%s', (_, event, wanted) => {
    expect(shown(event)).toBe(wanted)
  })

  test('a pipe gets the result byte for byte, a terminal without control sequences', () => {
    const event = loopTerminated({ result: '\x1b[2Jx' })
    expect(shown(event)).toBe('\x1b[2Jx\n')
    expect(shown(event, true)).toBe('x\n')
  })
})

describe('several views of one run', () => {
  test('one that throws is told of once and leaves the others alone', () => {
    const faults: string[] = []
    let seen = 0
    const report = fanOut(
      [
        () => {
          throw new Error('disk full')
        },
        () => {
          seen++
        },
      ],
      (message) => faults.push(message),
    )
    report(loopStarted)
    report(loopTerminated())
    expect(seen).toBe(2)
    expect(faults).toEqual(['an output of this run has failed: disk full'])
  })
})

describe('results in input order', () => {
  test('each comes out as soon as all before it are out', () => {
    const out: string[] = []
    const order = createInOrder<string>((value) => out.push(value))
    order.put(2, 'c')
    expect(out).toEqual([])
    order.put(0, 'a')
    expect(out).toEqual(['a'])
    order.put(1, 'b')
    expect(out).toEqual(['a', 'b', 'c'])
  })

  test('what waits for an index that never came comes out at the end', () => {
    const out: string[] = []
    const order = createInOrder<string>((value) => out.push(value))
    order.put(3, 'd')
    order.put(1, 'b')
    order.finish()
    expect(out).toEqual(['b', 'd'])
  })
})

describe('a tool call on one line', () => {
  test.each([
    ['the command of a shell tool', 'Bash', '{"command":"ls -la","description":"d"}', '  ▸ Bash  ls -la'],
    ['the first text of any input', 'Read', '{"limit":5,"file_path":"src/a.ts"}', '  ▸ Read  src/a.ts'],
    ['all of an input without a text', 'Todo', '{"todos":[1]}', '  ▸ Todo  {"todos":[1]}'],
    ['an input that is no JSON', 'x', 'plain words', '  ▸ x  plain words'],
    ['a broken input', 'x', '{"a":', '  ▸ x  {"a":'],
    ['no input', 'x', '', '  ▸ x'],
  ])('shows %s', (_, name, input, wanted) => {
    expect(renderToolCall(name, input, 80)).toBe(wanted)
  })

  test('is cut to the width', () => {
    expect(Bun.stringWidth(renderToolCall('Bash', 'x'.repeat(500), 80))).toBeLessThanOrEqual(80)
  })
})
