import { describe, expect, test } from 'bun:test'
import { createSpeech } from '../../../core/agent/speech.ts'
import type { AgentEvent } from '../../../core/backend/contract.ts'

function hearing() {
  const told: AgentEvent[] = []
  return { told, speech: createSpeech((event) => told.push(event)) }
}

const text = (said: string): AgentEvent => ({ type: 'text', text: said })

describe('what an agent says', () => {
  test('is told as one text where whole lines follow one another, and nothing is held back after a flush', () => {
    const { told, speech } = hearing()
    speech.hear(text('one\n'))
    speech.hear(text('two\n'))
    expect(told).toEqual([])
    speech.flush()
    expect(told).toEqual([text('one\ntwo\n')])
    speech.flush()
    expect(told).toHaveLength(1)
  })

  test('keeps its order: what is no line comes behind the lines before it, and stays by itself', () => {
    const { told, speech } = hearing()
    const tool: AgentEvent = { type: 'turns', turns: 1 }
    for (const event of [text('one\n'), tool, text('half'), text('other half'), text('two\n')])
      speech.hear(event)
    speech.flush()
    expect(told).toEqual([text('one\n'), tool, text('half'), text('other half'), text('two\n')])
  })
})
