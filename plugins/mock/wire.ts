import type { AgentTask, FailureClass, Role, Usage } from '../../core/backend/contract.ts'

/** What the session writes to the player's stdin: one JSON document. */
export interface Assignment {
  readonly role: Role
  readonly prompt: string
  /** Absolute path of the `ralph` that the player calls. */
  readonly ralph: string
  readonly script?: string
  /** Not in the document: the command line has them. */
  readonly model?: string
  readonly resume?: string
}

/** One line of the player's stdout. */
export type Line =
  /** The player's script tells what it does when it is asked once more. */
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'tool_result'; readonly id: string; readonly output: string; readonly is_error: boolean }
  /** Totals so far. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'cost'; readonly usd: number }
  | { readonly type: 'end'; readonly ok: true; readonly text: string }
  | {
      readonly type: 'end'
      readonly ok: false
      readonly class: FailureClass
      readonly message: string
      readonly retry_after_ms?: number
    }

/** Every failure class, so that a new one in the contract breaks the build here. */
const CLASSES: Readonly<Record<FailureClass, true>> = {
  auth: true,
  rate_limit: true,
  overload: true,
  quota: true,
  context_too_long: true,
  turn_limit: true,
  budget: true,
  tool_permission: true,
  network: true,
  locked: true,
  model: true,
  refusal: true,
  config: true,
  crash: true,
  unknown: true,
}

export const FAILURES = Object.keys(CLASSES) as readonly FailureClass[]

export function assignmentOf(task: AgentTask): Assignment {
  return {
    role: task.role,
    prompt: task.prompt,
    ralph: task.ralph,
    ...(task.script === undefined ? {} : { script: task.script }),
  }
}

/** The document that `text` holds, or null if it is none of ours. */
export function parseAssignment(text: string): Assignment | null {
  const value = objectOf(text)
  if (value === null || typeof value.prompt !== 'string' || typeof value.ralph !== 'string') return null
  const { role } = value
  return typeof role === 'object' && role !== null && 'graph' in role
    ? (value as unknown as Assignment)
    : null
}

/** The record that a line of stdout holds; null for anything else that a script made the player print. */
export function parseLine(text: string): Line | null {
  const value = objectOf(text)
  if (value === null) return null
  switch (value.type) {
    case 'session':
      return strings(value, 'id') ? (value as unknown as Line) : null
    case 'text':
    case 'thinking':
      return strings(value, 'text') ? (value as unknown as Line) : null
    case 'tool':
      return strings(value, 'id', 'name', 'input') ? (value as unknown as Line) : null
    case 'tool_result':
      return strings(value, 'id', 'output') ? (value as unknown as Line) : null
    case 'usage':
      return isUsage(value.usage) ? (value as unknown as Line) : null
    case 'cost':
      return typeof value.usd === 'number' ? (value as unknown as Line) : null
    case 'end':
      if (value.ok === true) return strings(value, 'text') ? (value as unknown as Line) : null
      return strings(value, 'class', 'message') && String(value.class) in CLASSES
        ? (value as unknown as Line)
        : null
    default:
      return null
  }
}

type Fields = Readonly<Record<string, unknown>>

function objectOf(text: string): Fields | null {
  if (!text.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}

function strings(value: Fields, ...keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === 'string')
}

function isUsage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const usage = value as Fields
  return ['input', 'output', 'cacheRead', 'cacheWrite', 'context'].every(
    (key) => typeof usage[key] === 'number',
  )
}
