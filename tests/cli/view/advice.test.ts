import { expect, test } from 'bun:test'
import { renderAdvice } from '../../../cli/view/advice.ts'
import type { AccountTrouble } from '../../../core/run-event.ts'

const GO_ON = '`ralph run --continue` goes on'
const AT = new Date(2026, 10, 30, 18, 5, 9).getTime()

test.each<[AccountTrouble, string]>([
  [
    { backend: 'codex', class: 'auth', login: 'codex login' },
    '  codex: log in (codex login); then `ralph run --continue` goes on',
  ],
  [
    { backend: 'mine', class: 'auth' },
    '  mine: log in with the program itself, or set its key; then `ralph run --continue` goes on',
  ],
  [
    { backend: 'claude', class: 'quota' },
    '  claude: the quota is used up: wait until it is free again, or raise it; then `ralph run --continue` goes on',
  ],
  [
    { backend: 'gemini', class: 'quota', login: 'start gemini', retry_at: AT },
    '  gemini: the quota is used up until 2026-11-30 18:05:09: wait, or raise it; then `ralph run --continue` goes on',
  ],
  [
    { backend: 'mine', class: 'auth', login: 'type\u001b[2J it\nagain' },
    '  mine: log in (type it again); then `ralph run --continue` goes on',
  ],
])('%o is told with what to do', (trouble, text) => {
  expect(renderAdvice(trouble, GO_ON)).toBe(text)
})
