import type { AgentEvent } from '../core/backend/contract.ts'
import { type Fields, textOf } from './record.ts'

/** The program's name for its conversation, if a record tells it in `field`. */
export function namedSession(record: Fields, field: string): readonly AgentEvent[] {
  const id = textOf(record, field)
  return id === undefined || id === '' ? [] : [{ type: 'session', id }]
}
