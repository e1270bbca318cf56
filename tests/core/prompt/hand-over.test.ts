import { expect, test } from 'bun:test'
import { emitBlock, emitRules } from '../../../core/prompt/hand-over.ts'

const REPORT = '# Report\n\n- `touch pwned` and $(touch pwned)\n- "quotes", \'more\' and $HOME \\ !!\n'

test('a text handed over in the form that prompts show reaches the program as it stands', () => {
  const [, ...block] = emitBlock('a.b', REPORT, { heredoc: true }).split('\n')
  const command = block.slice(0, -1).join('\n')
  const script = `ralph() { echo "$@"; cat; }\n${command}\n`
  const { stdout, stderr } = Bun.spawnSync(['bash', '-c', script], {
    env: { PATH: '/nowhere:/usr/bin:/bin' },
  })
  expect(stdout.toString()).toBe(`emit a.b --stdin\n${REPORT}\n`)
  expect(stderr.toString()).toBe('')
})

test.each([true, false])(
  'with heredocs %p, the rules name what to do with a text that the form cannot carry',
  (heredoc) => {
    const rules = emitRules({ heredoc }).join('\n')
    expect(rules).toMatch(/to a (new )?file/)
    expect(rules.includes('RALPH_EOF')).toBe(heredoc)
  },
)
