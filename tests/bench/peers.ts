import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmFolder } from '../helpers/npm-folder.ts'
import type { Peers } from './bench.ts'

/** Versions are pinned, so that figures of different days compare. */
const PACKAGES = ['execa@9.6.1', 'p-limit@7.3.3', '@langchain/core@1.4.0', '@langchain/langgraph@1.7.3']

/** Finds the programs to compare with; those from npm are downloaded into the user's cache at the first call. */
export async function findPeers(): Promise<Peers> {
  const folder = await npmFolder('bench-peers-1', PACKAGES)
  // Beside the packages, since Node looks for them from where a program lies.
  const program = (name: string): readonly string[] => {
    const path = join(folder, name)
    copyFileSync(join(import.meta.dir, 'peers', name), path)
    return ['node', path]
  }
  return {
    parallel: Bun.which('parallel'),
    execa: program('execa.mjs'),
    langgraph: program('langgraph.mjs'),
  }
}

/** Said where GNU parallel is missing. */
export const NO_PARALLEL = 'GNU parallel is not installed and left out; on Debian: apt-get install parallel'

/** Argv of GNU parallel with these arguments; it asks nothing and cites nothing. */
export function parallelArgv(parallel: string, ...args: readonly string[]): readonly string[] {
  return [parallel, '--will-cite', ...args]
}
