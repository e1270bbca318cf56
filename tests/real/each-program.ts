import { describe } from 'bun:test'
import type { Program } from './programs/program.ts'
import { whyMissing } from './why-missing.ts'

/** Tests for each program. One that cannot be had is named with the reason, and its tests are skipped: they never pass. */
export async function eachProgram(
  programs: readonly Program[],
  tests: (program: Program) => void,
): Promise<void> {
  const reasons = await Promise.all(programs.map(whyMissing))
  for (const [i, program] of programs.entries()) {
    const reason = reasons[i] ?? null
    if (reason === null) describe(program.name, () => tests(program))
    else {
      process.stderr.write(`skipped: ${program.name} cannot be had: ${reason}\n`)
      describe.skip(`${program.name} (cannot be had)`, () => tests(program))
    }
  }
}
