// Downloads the pinned programs, so that their tests need no network. One that cannot be had is named.

import { PROGRAMS } from './programs/index.ts'
import { whyMissing } from './why-missing.ts'

for (const program of PROGRAMS) {
  const reason = await whyMissing(program)
  if (reason !== null) process.stderr.write(`skipped: ${program.name} cannot be had: ${reason}\n`)
}
