import type { BackendCheck } from '../doctor/backends.ts'
import type { Check } from '../doctor/check.ts'
import type { Palette } from './colour.ts'
import { plural } from './rule.ts'
import { safeText } from './safe-text.ts'
import { wrap } from './wrap.ts'

/** What `ralph doctor` prints: a check with its state, what was found, and below it what to do. */
export function renderChecks(
  checks: readonly (Check | BackendCheck)[],
  { paint, columns }: { readonly paint: Palette; readonly columns: number },
): string {
  const indent = ' '.repeat(NAME + STATE + 4)
  const width = Math.max(20, columns - indent.length)
  const render = (check: Check | BackendCheck): string => {
    const [first = '', ...more] = linesOf(check).flatMap((line) => wrap(oneLined(line), width))
    const name = safeText(check.check)
    const state = paintState(check.state, paint)
    // A name that is too long for its column has a line of its own.
    const head =
      Bun.stringWidth(name) > NAME
        ? `${name}\n${' '.repeat(NAME)}`
        : name + ' '.repeat(NAME - Bun.stringWidth(name))
    return [`${head}  ${state}  ${first}`.trimEnd(), ...more.map((line) => indent + line)].join('\n')
  }
  return `${checks.map(render).join('\n')}\n\n${summary(checks, paint)}\n`
}

const NAME = 16
const STATE = 6

const STATES = { ok: 'ok', warn: 'warn', fail: 'FAILED', absent: '–' } as const

function paintState(state: Check['state'], paint: Palette): string {
  const text = STATES[state].padEnd(STATE)
  switch (state) {
    case 'ok':
      return paint.green(text)
    case 'warn':
      return paint.yellow(text)
    case 'fail':
      return paint.red(text)
    case 'absent':
      return paint.dim(text)
  }
}

function linesOf(check: Check | BackendCheck): readonly string[] {
  const todo = check.todo === undefined ? [] : [`→ ${check.todo}`]
  if (check.state === 'absent')
    return [[check.detail, ...(check.todo === undefined ? [] : [`(${check.todo})`])].join(' ')]
  return [check.detail, ...todo, ...('backend' in check ? aboutProgram(check.backend) : [])]
}

function aboutProgram({
  found,
  used,
  commands,
  login,
  troubles,
}: BackendCheck['backend']): readonly string[] {
  if (!found && !used) return []
  return [
    ...(login.sign === null ? [] : [`login: ${login.seems} (${login.sign})`]),
    ...commands.map((command) => `called: ${command}`),
    ...troubles.map((trouble) => `known: ${trouble}`),
  ]
}

/** Messages of several lines, such as all faults of a config, stay one text. */
function oneLined(text: string): string {
  return safeText(text).replace(/\s*\n\s*/g, '; ')
}

function summary(checks: readonly Check[], paint: Palette): string {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length
  const failed = count('fail')
  const warnings = count('warn')
  const told = [
    ...(failed === 0 ? [] : [paint.red(`${plural(failed, 'check')} failed`)]),
    ...(warnings === 0 ? [] : [paint.yellow(plural(warnings, 'warning'))]),
  ]
  return told.length === 0 ? paint.green('All is well.') : told.join(', ')
}
