import { type ConfigFault, faultAt, keyFault, keyText } from '../fault.ts'
import { AUTO_BACKEND, COMMAND_BACKEND, SCRIPTED_BACKEND } from '../names.ts'
import { at, keyPlaceOf, mappingAt, placeOf } from '../tree.ts'
import type { Findings, Merged } from './findings.ts'

/** `cli`, `core` and `adapters` across their keys (contract/loop §2.3). */
export function checkMachine(merged: Merged): Findings {
  return {
    faults: [...commandFaults(merged), ...priceFaults(merged)],
    warnings: [...promptWarnings(merged), ...scratchpadWarnings(merged), ...scriptWarnings(merged)],
  }
}

/** A hat may name the command backend only if the global one is the same: there is one `cli.command`. */
function commandFaults({ tree, settings }: Merged): readonly ConfigFault[] {
  const { backend, command } = settings.cli
  if (backend === COMMAND_BACKEND) {
    if (command !== undefined) return []
    const text = `required for backend "${COMMAND_BACKEND}"`
    return [faultAt(placeOf(tree, ['cli', 'backend']), ['cli', 'command'], text)]
  }
  return settings.hats.flatMap((hat) => {
    if (hat.backend?.kind !== 'named' || hat.backend.name !== COMMAND_BACKEND) return []
    const text = `hat "${hat.id}" needs a command of its own: backend: {command: …}; cli.command belongs to the global backend, which is "${backend}"`
    return [faultAt(placeOf(tree, ['hats', hat.id, 'backend']), ['hats', hat.id, 'backend'], text)]
  })
}

function priceFaults({ tree, raw }: Merged): readonly ConfigFault[] {
  return Object.entries(raw.adapters ?? {}).flatMap(([name, adapter]) => {
    const price = adapter?.price
    if (!price) return []
    return (['input', 'output'] as const)
      .filter((key) => price[key] == null)
      .map((key) => keyFault(tree, ['adapters', name, 'price', key], 'required: USD per million tokens'))
  })
}

function promptWarnings({ tree, settings }: Merged): readonly ConfigFault[] {
  const { backend, promptMode } = settings.cli
  const keys = [
    ['cli', 'prompt_mode'],
    ['cli', 'prompt_flag'],
  ].filter((path) => at(tree, path) !== undefined)
  const [first] = keys
  if (first === undefined) return []
  if (backend !== COMMAND_BACKEND) {
    const chosen = backend === AUTO_BACKEND ? 'a named backend' : `backend "${backend}"`
    const text = `no effect with ${chosen}: only "${COMMAND_BACKEND}" reads it`
    return [faultAt(keyPlaceOf(tree, first), keys.map(keyText).join(', '), text)]
  }
  if (promptMode === 'arg' || settings.cli.promptFlag === undefined) return []
  return [keyFault(tree, ['cli', 'prompt_flag'], 'no effect with prompt_mode: stdin')]
}

function scratchpadWarnings({ tree, raw, settings }: Merged): readonly ConfigFault[] {
  const scratchpad = raw.core?.scratchpad
  if (!scratchpad || typeof scratchpad === 'string' || scratchpad.enabled !== false) return []
  if (settings.hats.length > 0) return []
  const text = 'set back to true: without hats the scratchpad is the only memory'
  return [keyFault(tree, ['core', 'scratchpad', 'enabled'], text)]
}

function scriptWarnings({ tree }: Merged): readonly ConfigFault[] {
  return [...(mappingAt(tree, ['adapters'])?.entries.keys() ?? [])]
    .filter((name) => name !== SCRIPTED_BACKEND)
    .map((name) => ['adapters', name, 'script'])
    .filter((path) => at(tree, path) !== undefined)
    .map((path) => keyFault(tree, path, `no effect: only "${SCRIPTED_BACKEND}" reads it`))
}
