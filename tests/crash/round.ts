import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRecord } from '../../core/events-file/record.ts'
import { readJournal } from '../../core/journal/read.ts'
import { absorb } from '../../core/run/absorb.ts'
import { foldJournal } from '../../core/run/fold.ts'
import type { State } from '../../core/run/state.ts'
import type { Wave } from '../../core/wave/wave.ts'
import { type Sandbox, sandbox, until } from '../helpers/sandbox.ts'
import type { Random } from '../sim/random.ts'
import { furnish } from './agents.ts'

/** What one round did, and what was wrong with it. */
export interface Round {
  readonly kills: number
  readonly agents: number
  readonly faults: readonly string[]
}

/** Longest time in which a run may go on before it is killed, ms. A whole run takes less. */
const LONGEST_MS = 900
const MOST_KILLS = 4

/** A real run that is killed at random moments and continued until it is through; then its traces are looked at. */
export async function crashRound(random: Random): Promise<Round> {
  await using box = sandbox()
  furnish(box)
  const faults: string[] = []
  let kills = 0
  while (!isThrough(box)) {
    const run = box.start([...(hasRun(box) ? ['run', '--continue', '-q'] : ['run', '-q', '-p', 'X'])])
    const isLast = kills === MOST_KILLS
    const ended = await Promise.race([
      run.finished,
      ...(isLast ? [] : [Bun.sleep(random.next() * LONGEST_MS).then(() => null)]),
    ])
    if (ended === null) {
      kills += 1
      run.kill('SIGKILL')
      await run.finished
      await until('the end of all its processes', () => marked(box).length === 0, 3000).catch(() => {
        faults.push(`left running: ${marked(box).join(', ')}`)
      })
    } else if (ended.code !== 0) {
      faults.push(`an invocation ended with ${ended.code}: ${ended.stderr.trim()}`)
      return { kills, agents: 0, faults }
    }
  }
  faults.push(...marked(box).map((command) => `left running after the end: ${command}`))
  const { state, merged } = look(box, faults)
  return { kills, agents: state.totals.agentsStarted, faults: [...faults, ...judge(box, state, merged)] }
}

/** Folds the journal, which refuses what must not be; keeps each wave as it was merged. */
function look(box: Sandbox, faults: string[]): { state: State; merged: readonly Wave[] } {
  const dir = runFolder(box)
  const content = readJournal(join(dir, 'journal.jsonl'))
  if (content.badLines.length > MOST_KILLS) faults.push(`${content.badLines.length} records cannot be read`)
  const merged: Wave[] = []
  const state = foldJournal({ ...content, facts: [] }, { dir })
  for (const fact of content.facts) {
    const wave = fact.type === 'wave.merged' ? state.waves.get(fact.wave) : undefined
    absorb(state, fact)
    if (wave !== undefined) merged.push(wave)
  }
  if (state.ended !== 'completed') faults.push(`the run ended ${state.ended}`)
  return { state, merged }
}

function judge(box: Sandbox, state: State, waves: readonly Wave[]): string[] {
  const faults: string[] = []
  const said = box.exists('said') ? box.read('said').trim().split('\n').filter(Boolean) : []
  for (const item of new Set(said)) {
    const times = said.filter((one) => one === item).length
    if (times > 1) faults.push(`item ${item} gave its result ${times} times`)
  }
  const lines = readFileSync(state.run.eventsFile, 'utf8').split('\n').filter(Boolean).map(parseRecord)
  const merged = lines.flatMap((line) =>
    line.kind === 'event' && line.event.waveStatus !== undefined ? [line.event] : [],
  )
  const ids = waves.map((wave) => wave.id)
  if (new Set(ids).size < ids.length) faults.push(`merged twice: ${ids}`)
  for (const wave of waves) {
    const own = merged.filter((event) => event.wave?.id === wave.id)
    const results = own.filter((event) => event.waveStatus === 'ok' || event.waveStatus === 'partial')
    const indices = results.map((event) => event.wave?.index ?? -1)
    if (indices.some((index, i) => i > 0 && index <= (indices[i - 1] ?? -1)))
      faults.push(`wave ${wave.id} is merged out of order or twice: ${indices}`)
    for (const work of wave.works) {
      if (work.outcome === null) faults.push(`item ${work.id} has no outcome`)
      if (work.outcome?.class === 'result' && !indices.includes(work.index))
        faults.push(`the result of ${work.id} is not merged`)
      if (said.includes(work.id) && work.outcome?.class !== 'result')
        faults.push(`item ${work.id} gave a result, and is ${work.outcome?.status}`)
    }
  }
  if (state.waves.size > 0) faults.push(`open waves: ${[...state.waves.keys()]}`)
  return faults
}

/** The run says that it is completed, also where it was killed before it could end its process. */
function isThrough(box: Sandbox): boolean {
  if (!hasRun(box)) return false
  const dir = runFolder(box)
  return foldJournal(readJournal(join(dir, 'journal.jsonl')), { dir }).ended === 'completed'
}

function hasRun(box: Sandbox): boolean {
  try {
    readJournal(join(runFolder(box), 'journal.jsonl'))
    return true
  } catch {
    return false
  }
}

function runFolder(box: Sandbox): string {
  return join(box.home, '.local/state/ralph/runs', box.read('.ralph/current-loop-id').trim())
}

/** Commands of living processes of the box's runs. */
function marked(box: Sandbox): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        const isAlive = !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        const isOurs =
          environment.includes(`HOME=${box.home}`) &&
          environment.some((one) => one.startsWith('RALPH_AGENT='))
        return isAlive && isOurs ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : []
      } catch {
        return []
      }
    })
}
