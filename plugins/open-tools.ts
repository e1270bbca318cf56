import type { AgentEvent } from '../core/backend/contract.ts'

/** The tools of a session that have not answered. */
export class OpenTools {
  readonly #ids = new Set<string>()

  get count(): number {
    return this.#ids.size
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  start(id: string, name: string, input: unknown): readonly AgentEvent[] {
    this.#ids.add(id)
    return [{ type: 'tool_start', id, name, input: JSON.stringify(input ?? {}) }, this.#open()]
  }

  end(id: string, output: string, isError: boolean): readonly AgentEvent[] {
    this.#ids.delete(id)
    return [{ type: 'tool_end', id, output, isError }, this.#open()]
  }

  #open(): AgentEvent {
    return { type: 'open', count: this.count }
  }
}
