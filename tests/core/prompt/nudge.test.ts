import { expect, test } from 'bun:test'
import { renderPrompt } from '../../../core/prompt/render.ts'
import { hat, material, NO_HEREDOC, read, worker } from './briefs.ts'

const {
  timeoutSeconds: _,
  scatter: __,
  ...item
} = worker({
  hat: hat('work', { publishes: ['item.done', 'item.skipped', 'LOOP_COMPLETE'] }),
})
const NUDGE = { ...item, kind: 'nudge', resume: { session: 's', usage: null, costUsd: null } } as const

test('a worker that forgot its result is told the topics and the safe form, and nothing that it knows already', () => {
  const prompt = renderPrompt(NUDGE, material(), read)
  expect(prompt).toStartWith('You have ended your turn without publishing a result')
  for (const topic of ['item.done', 'item.skipped'])
    expect(prompt).toContain(`ralph emit ${topic} --stdin <<'RALPH_EOF'`)
  expect(prompt).not.toMatch(/LOOP_COMPLETE|instructions of work|the item|## Constraints/)
  expect(prompt.length).toBeLessThan(1500)
})

test('a worker without heredocs is told the form that works there', () => {
  const prompt = renderPrompt(NUDGE, material(NO_HEREDOC), read)
  expect(prompt).toContain('ralph emit item.done --payload-file FILE && rm FILE')
  expect(prompt).not.toContain('<<')
})
