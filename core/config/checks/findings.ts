import type { Topology } from '../../topology.ts'
import type { ConfigFault } from '../fault.ts'
import type { RawConfig } from '../schema.ts'
import type { Settings } from '../settings.ts'
import type { Mapping } from '../tree.ts'

/** A merged configuration, in each of its forms. */
export interface Merged {
  /** With the places where everything was written. */
  readonly tree: Mapping
  readonly raw: RawConfig
  readonly settings: Settings
  readonly topology: Topology
}

/** What a check found. */
export interface Findings {
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly ConfigFault[]
}

/** Nothing was found. */
export const NOTHING: Findings = { faults: [], warnings: [] }

/** All findings together, in their order. */
export function join(all: readonly Findings[]): Findings {
  return { faults: all.flatMap((one) => one.faults), warnings: all.flatMap((one) => one.warnings) }
}
