import { expect, test } from 'bun:test'
import { sandbox } from '../helpers/sandbox.ts'
import { eachProgram } from './each-program.ts'
import { filesOf, processesOf } from './left-over.ts'
import { type ModelAnswer, type ModelRequest, startModelServer } from './model-server.ts'
import { claude } from './programs/claude.ts'
import { gemini } from './programs/gemini.ts'
import { settle } from './programs/index.ts'
import { handOver, meeting } from './wave.ts'

const PERSPECTIVES = ['correctness of calc.py', 'security of calc.py', 'tests of calc.py'] as const

await eachProgram([claude, gemini], ({ name, model, ...program }) => {
  test('completes builtin:wave-review, and what each reviewer took is told below its wave', async () => {
    await using box = sandbox()
    const together = meeting(PERSPECTIVES.length)
    await using server = startModelServer((request) => review(request, together))
    const env = await settle({ name, model, ...program }, box, server)
    box.write('calc.py', 'def add(a, b):\n    return a - b\n')

    const run = await box.ralph(
      ['run', '-H', 'builtin:wave-review', '-b', name, '--model', model, '-p', 'Review calc.py.'],
      { env },
    )

    const found = PERSPECTIVES.map((one) => `## ${one}\nadd() subtracts: \`a - b\``).join('\n')
    expect(run, run.stderr).toMatchObject({ code: 0, stdout: `# Verdict\n${found}\n` })
    expect(run.stderr).toContain('3 succeeded, 0 failed')
    const figures = /^ {2}workers: (.*)\n {4}1: (.*)\n {4}2: (.*)\n {4}3: (.*)$/m.exec(run.stderr)?.slice(1)
    const costs = program.usdAnAnswer === null ? /^cost unknown \| / : /^\$0\.00\d\d \| /
    expect(figures).toEqual([
      expect.stringMatching(costs),
      ...PERSPECTIVES.map(() => expect.stringMatching(costs)),
    ])
    expect(figures?.[1]).toMatch(/\d+k? tokens in, \d+ out$/)
    expect(processesOf(box)).toEqual([])
    expect(filesOf(box)).toEqual(['calc.py'])
  }, 120_000)
})

/** What each hat of the collection does, told by its instructions. */
async function review(request: ModelRequest, together: () => Promise<void>): Promise<ModelAnswer> {
  const { prompt, turn } = request
  if (turn === 0 && isReviewer(prompt)) await together()
  return partOf(prompt)[turn] ?? { text: 'That is all.' }
}

function partOf(prompt: string): readonly ModelAnswer[] {
  if (prompt.includes('Prepare the review. You do not review anything yourself.')) {
    const items = PERSPECTIVES.map((one) => `'${one}'`).join(' ')
    return [{ text: 'I hand out.', command: `ralph wave emit review.perspective --payloads ${items}` }]
  }
  if (isReviewer(prompt)) {
    const mine = PERSPECTIVES.find((one) => prompt.includes(one)) ?? 'nothing'
    return handOver(prompt, 'review.done', findingOf(mine))
  }
  const found = PERSPECTIVES.map(findingOf).filter((finding) => prompt.includes(finding))
  return handOver(prompt, 'review.complete', `# Verdict\n${found.join('\n')}`)
}

function isReviewer(prompt: string): boolean {
  return prompt.includes('You are a reviewer with one perspective')
}

function findingOf(perspective: string): string {
  return `## ${perspective}\nadd() subtracts: \`a - b\``
}
