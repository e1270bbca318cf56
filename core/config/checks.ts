import type { KnownBackends } from './checks/backends.ts'
import { checkBackends } from './checks/backends.ts'
import { type Findings, join, type Merged, NOTHING } from './checks/findings.ts'
import { checkHats } from './checks/hats.ts'
import { checkMachine } from './checks/machine.ts'
import { checkWaves } from './checks/waves.ts'
import { valueFault } from './fault.ts'
import { DEFAULT_PROMPT_FILE } from './normalize.ts'
import { at, type Mapping } from './tree.ts'

/** What only shows when all layers are merged. */
export function check(merged: Merged, known: KnownBackends): Findings {
  return join([
    checkHats(merged),
    checkWaves(merged),
    checkMachine(merged),
    { faults: checkBackends(merged.settings, known, merged.tree), warnings: [] },
  ])
}

/**
 * `prompt` and a `prompt_file` of the user's own: one of them would be passed over.
 * @param configured all layers but the flags, which may name another objective
 */
export function checkObjective(configured: Mapping): Findings {
  const prompt = at(configured, ['event_loop', 'prompt'])
  const file = at(configured, ['event_loop', 'prompt_file'])
  const isOwn = file?.kind === 'scalar' && !['', DEFAULT_PROMPT_FILE].includes(String(file.value))
  if (!prompt || !isOwn || (prompt.kind === 'scalar' && prompt.value === '')) return NOTHING
  const text = `prompt is set too, and prompt_file is not ${DEFAULT_PROMPT_FILE}: only one of them can be the objective`
  return { faults: [valueFault(configured, ['event_loop', 'prompt_file'], text)], warnings: [] }
}
