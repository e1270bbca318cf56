import type { Hat } from '../../hat.ts'
import { type ConfigFault, keyFault, valueFault } from '../fault.ts'
import type { Findings, Merged } from './findings.ts'

/** What must hold for hats that run as waves (contract/waves §2). */
export function checkWaves(merged: Merged): Findings {
  const { hats } = merged.settings
  return {
    faults: hats.flatMap((hat) => aggregatorFaults(merged, hat)),
    warnings: hats.flatMap((hat) => [...workerWarnings(merged, hat), ...timeoutWarnings(merged, hat)]),
  }
}

function aggregatorFaults({ tree }: Merged, hat: Hat): readonly ConfigFault[] {
  if (hat.aggregate === undefined || hat.concurrency <= 1) return []
  const text = `hat "${hat.id}" has aggregate and concurrency ${hat.concurrency}: it waits for all results, so it cannot run several times at once; remove one of the two`
  return [keyFault(tree, ['hats', hat.id, 'aggregate'], text)]
}

function workerWarnings({ tree, settings, topology }: Merged, hat: Hat): readonly ConfigFault[] {
  if (hat.concurrency <= 1) return []
  const path = ['hats', hat.id, 'concurrency']
  const warn = (text: string) => valueFault(tree, path, `hat "${hat.id}" ${text}`)
  const { maxConcurrency } = settings.features
  const warnings: ConfigFault[] = []
  if (hat.publishes.length === 0) {
    warnings.push(warn('has no publishes: its workers cannot hand over results'))
  }
  if (hat.aggregate === undefined && topology.aggregatorsOf(hat.id).length === 0) {
    warnings.push(
      warn('feeds no hat with aggregate: nobody waits for all results, they reach hats as ordinary events'),
    )
  }
  if (hat.concurrency > maxConcurrency) {
    warnings.push(
      warn(
        `asks for ${hat.concurrency} workers at once, features.max_concurrency allows ${maxConcurrency} in the whole run`,
      ),
    )
  }
  return warnings
}

/** A worker that may take longer than its wave: only a timeout that the user wrote bounds a wave. */
function timeoutWarnings({ tree, topology }: Merged, hat: Hat): readonly ConfigFault[] {
  const { timeoutSeconds } = hat
  if (timeoutSeconds === undefined) return []
  const path = ['hats', hat.id, 'timeout']
  return topology.downstream(hat.id).flatMap(({ id, aggregate }) => {
    if (!aggregate?.timeoutIsSet || timeoutSeconds <= aggregate.timeoutSeconds) return []
    const text = `hats.${hat.id}.timeout is ${timeoutSeconds}, longer than hats.${id}.aggregate.timeout, which is ${aggregate.timeoutSeconds}; the wave waits for the longer of the two`
    return [valueFault(tree, path, text)]
  })
}
