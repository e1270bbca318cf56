import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RALPH } from '../helpers/sandbox.ts'
import type { Bench } from './bench.ts'
import { interleave, ratio, type Sample } from './measure.ts'
import type { Row } from './report.ts'
import { runProgram } from './run-program.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/** P3: how long an agent waits for `ralph emit`, beside a compiled program that does nothing and beside Node. */
export const start: Bench = {
  id: 'P3',
  about: 'ralph emit',
  async run({ dir }, scale) {
    const times = scale === 'full' ? 60 : 3
    const at = createWorkspace(dir)
    const env = { ...at.env, RALPH_EVENTS_FILE: join(at.cwd, 'events.jsonl') }
    const empty = buildEmpty(at)
    const begin = (...argv: string[]) => {
      return () => runProgram(argv, { cwd: at.cwd, env })
    }
    const emit = begin(RALPH, 'emit', 'a.topic', 'a payload')
    const taken = await interleave(times, {
      empty: begin(empty),
      emit,
      node: begin('node', '-e', '0'),
    })
    const row = (what: string, sample: Sample): Row => ({ what: `P3  ${what}`, sample, unit: 'ms' })
    const toEmpty = ratio(taken.emit, taken.empty)
    const toNode = ratio(taken.emit, taken.node)
    return [
      row('a compiled program that does nothing', taken.empty),
      row('node -e 0', taken.node),
      row('ralph emit', taken.emit),
      {
        what: 'P3  ralph emit : the compiled nothing',
        sample: toEmpty,
        unit: '×',
        aim: { says: '≤ 2', met: toEmpty.median <= 2 },
      },
      {
        what: 'P3  ralph emit : node -e 0',
        sample: toNode,
        unit: '×',
        aim: { says: '≤ 0.25', met: toNode.median <= 0.25 },
      },
      await atOnce(emit, env.RALPH_EVENTS_FILE),
    ]
  },
}

/** Many at once: throws for an error, and counts the lines that are whole. */
async function atOnce(emit: () => Promise<void>, eventsFile: string): Promise<Row> {
  const before = wholeLines(eventsFile)
  const began = performance.now()
  await Promise.all(Array.from({ length: AT_ONCE }, emit))
  const ms = performance.now() - began
  const whole = wholeLines(eventsFile) - before
  const sample = { all: [ms], median: ms, least: ms, most: ms, p99: ms }
  return {
    what: `P3  ${AT_ONCE} × ralph emit at once, ${whole} whole lines`,
    sample,
    unit: 'ms',
    aim: { says: `${AT_ONCE} lines`, met: whole === AT_ONCE },
  }
}

const AT_ONCE = 64

function wholeLines(path: string): number {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.filter((line) => (JSON.parse(line) as { payload?: unknown }).payload === 'a payload').length
}

function buildEmpty({ cwd }: Workspace): string {
  const entry = join(cwd, 'empty.ts')
  const outfile = join(cwd, 'empty')
  writeFileSync(entry, 'export {}\n')
  execFileSync('node', ['.ci/build.mjs', outfile, entry], { stdio: ['ignore', 'ignore', 'inherit'] })
  return outfile
}
