import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '../../core/backend/contract.ts'
import { actorsOf } from './actor.ts'

/** One line of `mock-ledger.jsonl` in the run's folder. */
export interface LedgerLine {
  /** RFC 3339, UTC. */
  readonly ts: string
  readonly event: 'start' | 'end'
  readonly kind: Role['kind']
  readonly agent: number
  readonly hats: readonly string[]
  /** Null for an ordinary iteration, like `index`. */
  readonly wave: string | null
  readonly index: number | null
  readonly attempt: number
  readonly pid: number
  /** Exit code; null at the start and after a signal. */
  readonly exit: number | null
}

/** What a ledger says about one actor: how often it was started so far, the newest start included. */
export type Starts = (actor: string) => number

/** The ledger of one player: writes its two lines, each at most once. */
export interface Ledger {
  /** Returns the starts of every actor in the run up to this one, however many start at the same time. */
  start(): Starts
  end(exit: number | null): void
}

export function openLedger(role: Role, pid: number): Ledger {
  const path = join(role.runDir, 'mock-ledger.jsonl')
  const line = (event: LedgerLine['event'], exit: number | null): LedgerLine => ({
    ts: new Date().toISOString(),
    event,
    kind: role.kind,
    agent: role.agent,
    hats: role.hats,
    wave: role.wave?.id ?? null,
    index: role.wave?.index ?? null,
    attempt: role.attempt,
    pid,
    exit,
  })
  const append = (entry: LedgerLine): void =>
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
  let ended = false

  return {
    start() {
      mkdirSync(role.runDir, { recursive: true, mode: 0o700 })
      append(line('start', null))
      return startsUpTo(readFileSync(path, 'utf8'), role.agent, pid)
    },
    end(exit) {
      if (ended) return
      ended = true
      append(line('end', exit))
    },
  }
}

/** Counts the starts in a ledger up to the last one of this process: appended lines have an order, clocks don't. */
export function startsUpTo(text: string, agent: number, pid: number): Starts {
  const starts = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerLine)
    .filter((line) => line.event === 'start')
  const own = starts.findLastIndex((line) => line.agent === agent && line.pid === pid)
  const counts = new Map<string, number>()
  for (const line of starts.slice(0, own + 1))
    for (const actor of actorsOf(line)) counts.set(actor, (counts.get(actor) ?? 0) + 1)
  return (actor) => counts.get(actor) ?? 0
}
