import type { FailureClass, Say } from '../backend/contract.ts'
import { messageOf } from '../errors.ts'
import { err, ok, type Result } from '../result.ts'

/** Why an agent failed, as `AgentEnd` has it. */
export interface Failure {
  readonly class: FailureClass
  readonly message: string
  readonly retryAfterMs?: number
}

/** Calls into a backend. What it throws becomes a failure that names the backend and the function. */
export function callBackend<T>(backend: string, call: string, act: () => T): Result<T, Failure> {
  try {
    return ok(act())
  } catch (error) {
    return err({ class: 'crash', message: `backend "${backend}", ${call}: ${messageOf(error)}` })
  }
}

/** A session's answer; throws if it is no list of says, so that its author is blamed and not the reader. */
export function checkedSays(says: readonly Say[]): readonly Say[] {
  const list = [...says]
  for (const say of list) {
    const known = say instanceof Object && ('event' in say || 'write' in say || 'closeStdin' in say)
    if (!known) throw new TypeError('a say is an object with event, write or closeStdin')
  }
  return list
}
