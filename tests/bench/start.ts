import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RALPH } from '../helpers/sandbox.ts'
import { interleave } from './measure.ts'
import type { Row } from './report.ts'
import { runProgram } from './run-program.ts'

/** How long an agent waits for `ralph emit`, beside a compiled program that does nothing and beside Node. */
export function benchStart(dir: string, times: number): readonly Row[] {
  const empty = buildEmpty(dir)
  const env = { PATH: process.env.PATH ?? '', HOME: dir, RALPH_EVENTS_FILE: join(dir, 'events.jsonl') }
  const start = (...argv: string[]) => {
    return () => runProgram(argv, { cwd: dir, env })
  }
  const taken = interleave(times, {
    empty: start(empty),
    emit: start(RALPH, 'emit', 'a.topic', 'a payload'),
    node: start('node', '-e', '0'),
  })
  const over = `${times} runs each, in turn`
  const ms = (value: number): string => `${value.toFixed(1)} ms`
  return [
    { what: 'start: empty compiled program', figure: ms(taken.empty.median), note: over },
    {
      what: 'start: ralph emit',
      figure: ms(taken.emit.median),
      note: `${ms(taken.emit.median - taken.empty.median)} above the empty program`,
    },
    {
      what: 'start: node -e 0',
      figure: ms(taken.node.median),
      note: `${(taken.node.median / taken.emit.median).toFixed(1)} times ralph emit`,
    },
  ]
}

function buildEmpty(dir: string): string {
  const entry = join(dir, 'empty.ts')
  const outfile = join(dir, 'empty')
  writeFileSync(entry, 'export {}\n')
  execFileSync('node', ['.ci/build.mjs', outfile, entry], { stdio: ['ignore', 'ignore', 'inherit'] })
  return outfile
}
