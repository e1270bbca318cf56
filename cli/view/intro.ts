import type { Settings } from '../../core/config/settings.ts'
import type { Cast, Part } from '../cast.ts'
import { programOf } from '../command-line.ts'
import type { Palette } from './colour.ts'
import { formatLimit } from './duration.ts'
import { plural } from './rule.ts'
import { oneLine } from './safe-text.ts'
import { formatTokens, formatUsd } from './spending.ts'

/** The first lines of a run: which programs run with which access, and what bounds the run. */
export function renderIntro(cast: Cast, settings: Settings, paint: Palette): readonly string[] {
  return [...programLines(cast, paint), `${paint.dim('budgets')}  ${renderBudgets(settings)}`]
}

/** `100 iterations | 4h | no cost limit | 1000 agents` */
export function renderBudgets(settings: Settings): string {
  const { maxIterations, maxRuntimeSeconds, maxCostUsd, maxTokensTotal } = settings.eventLoop
  return [
    plural(maxIterations, 'iteration'),
    formatLimit(maxRuntimeSeconds),
    maxCostUsd === undefined ? 'no cost limit' : `at most ${formatUsd(maxCostUsd)}`,
    ...(maxTokensTotal === undefined ? [] : [`${formatTokens(maxTokensTotal)} tokens`]),
    plural(settings.features.maxAgents, 'agent'),
  ].join(' | ')
}

/** What a part may do, in words. */
export function accessOf({ backend, options }: Part): string {
  const { access } = options
  return access === undefined
    ? backend.traits.access
    : `${access} access — ${backend.traits.enforces[access]?.says ?? access}`
}

/** One line for each program, with the hats that it plays where there is more than one. */
function programLines(cast: Cast, paint: Palette): readonly string[] {
  const programs = new Map<string, { readonly text: string; readonly hats: string[] }>()
  for (const part of cast.parts.values()) {
    const wrapped = part.wrap === undefined ? '' : ` in ${oneLine(part.wrap.join(' '), 200)}`
    const text = `${part.backend.name} (${oneLine(programOf(part), 200)})${wrapped}: ${oneLine(accessOf(part), 300)}`
    const known = programs.get(text) ?? { text, hats: [] }
    known.hats.push(part.hat || 'ralph')
    programs.set(text, known)
  }
  return [...programs.values()].map(({ text, hats }) => {
    const who = programs.size > 1 ? paint.dim(` — plays ${hats.join(', ')}`) : ''
    return `${paint.dim('program')}  ${text}${who}`
  })
}
