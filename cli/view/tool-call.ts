import { oneLine } from './safe-text.ts'

/** One line for one tool call: `  ▸ Bash  ls -la`. `input` is what the backend reports, usually JSON. */
export function renderToolCall(name: string, input: string, columns: number): string {
  const tool = oneLine(name, 40)
  const room = Math.max(20, columns - Bun.stringWidth(tool) - 8)
  return `  ▸ ${tool}  ${oneLine(telling(input), room)}`.trimEnd()
}

/** The part of a tool's input that tells most: of an object its first text (a command, a path, a pattern), else all of it. */
function telling(input: string): string {
  if (!input.startsWith('{')) return input
  try {
    const parsed: unknown = JSON.parse(input)
    const values = typeof parsed === 'object' && parsed !== null ? Object.values(parsed) : []
    return values.find((value): value is string => typeof value === 'string' && value !== '') ?? input
  } catch {
    return input
  }
}
