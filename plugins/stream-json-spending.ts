import type { Usage } from '../core/backend/contract.ts'
import { type Fields, numberOf } from './record.ts'

/**
 * Tokens of a session. Each result tells its own turn's, so they are summed; until a result comes, the messages since the
 * last one stand for it (several records share a message and repeat its usage, and their output count is only a first value).
 */
export class Spending {
  #settled = NONE
  #messages = new Map<string, Usage>()
  #context = 0

  /** Usage of an assistant record. */
  message(id: string, usage: Fields): Usage {
    const tokens = tokensOf(usage)
    this.#messages.set(id, tokens)
    this.#context = Math.max(this.#context, tokens.input)
    return this.total()
  }

  /** Usage of a result; without one the messages keep standing for it. */
  result(usage: Fields): Usage {
    const told = Object.keys(usage).length > 0
    this.#settled = told ? sum([this.#settled, tokensOf(usage)]) : this.#sum()
    this.#messages.clear()
    return this.total()
  }

  total(): Usage {
    return { ...this.#sum(), context: this.#context }
  }

  #sum(): Usage {
    return sum([this.#settled, ...this.#messages.values()])
  }
}

const NONE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, context: 0 }

function tokensOf(usage: Fields): Usage {
  const cacheRead = numberOf(usage, 'cache_read_input_tokens') ?? 0
  const cacheWrite = numberOf(usage, 'cache_creation_input_tokens') ?? 0
  return {
    input: (numberOf(usage, 'input_tokens') ?? 0) + cacheRead + cacheWrite,
    output: numberOf(usage, 'output_tokens') ?? 0,
    cacheRead,
    cacheWrite,
    context: 0,
  }
}

function sum(parts: readonly Usage[]): Usage {
  return parts.reduce(
    (total, part) => ({
      input: total.input + part.input,
      output: total.output + part.output,
      cacheRead: total.cacheRead + part.cacheRead,
      cacheWrite: total.cacheWrite + part.cacheWrite,
      context: 0,
    }),
    NONE,
  )
}
