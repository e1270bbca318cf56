import { describe, expect, test } from 'bun:test'
import { shellAdvice } from '../../../core/backend/shell-advice.ts'
import { renderIteration } from '../../../core/prompt/iteration.ts'
import { renderWorker } from '../../../core/prompt/worker.ts'
import { FAN, iteration, material, read, worker } from './briefs.ts'

const ALL = { heredoc: true, substitution: true, keepsPath: true, keepsEnvironment: true, keepsGit: true }

describe('advice on the shell of a program', () => {
  test('is empty where its shell does all', () => {
    expect(shellAdvice(ALL)).toEqual([])
  })

  test.each([
    ['substitution', '$('],
    ['keepsPath', '$RALPH_BIN'],
    ['keepsEnvironment', 'foreground'],
    ['keepsGit', 'hooks'],
  ])('names what is missing: %s', (trait, word) => {
    const [line, ...more] = shellAdvice({ ...ALL, [trait]: false })
    expect(line).toContain(word)
    expect(more).toEqual([])
  })

  const backend = { output: 'stream', heredoc: true, advice: ['Mind the shell.'] } as const

  test('stands in the prompt of an iteration, and only for that program', () => {
    expect(renderIteration(iteration(FAN, ['disp']), material({ backend }), read)).toContain(
      '\n- Mind the shell.\n',
    )
    expect(renderIteration(iteration(FAN, ['disp']), material(), read)).not.toContain('Mind the shell')
  })

  test('stands in the prompt of a worker', () => {
    expect(renderWorker(worker(), material({ backend }), read)).toContain('\n- Mind the shell.\n')
  })
})
