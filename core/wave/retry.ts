import type { AgentEnd } from '../agent/end.ts'
import type { Hat, Retry } from '../hat.ts'
import { retryClass } from './outcome.ts'
import type { Work } from './wave.ts'

const JITTER = 0.25

/**
 * How long an item waits before its next attempt, in milliseconds, or null if it gets none (contract/waves §7.3).
 * Doubling, with a jitter of up to a quarter, never less than the provider's own wish.
 */
export function retryDelay(work: Work, end: AgentEnd, hat: Hat, global: Retry): number | null {
  const rules: Retry = { ...global, ...hat.retry }
  const reason = retryClass(end)
  if (reason === null || work.accepted.length > 0 || work.attempts >= rules.attempts) return null
  if (!rules.on.some((one) => one === reason)) return null
  const doubled = rules.backoffSeconds * 1000 * 2 ** (work.attempts - 1)
  return backoffWithJitter(doubled, `${work.id}#${work.attempts}`, end.failure?.retryAfterMs)
}

/** The next attempt, after `begun` of them, is not the first one and cannot be followed by another. */
export function isLastAttempt(begun: number, hat: Hat, global: Retry): boolean {
  return begun > 0 && begun + 1 >= (hat.retry?.attempts ?? global.attempts)
}

/** `ms` and up to a quarter more, above the provider's wish. The jitter follows from `key`, so that a replay gives the same. */
export function backoffWithJitter(ms: number, key: string, retryAfterMs = 0): number {
  return Math.round(Math.max(ms, retryAfterMs) * (1 + JITTER * fraction(key)))
}

/** FNV-1a, then the mixing of MurmurHash3, since keys may differ in their last character alone; folded into [0, 1). */
function fraction(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000
}
