import type { AgentEvent } from '../../core/backend/contract.ts'
import type { Brief } from '../../core/prompt/brief.ts'
import { unreachable } from '../../core/result.ts'
import type { RunEvent } from '../../core/run-event.ts'
import type { Context } from './context.ts'

/** Tells observers what one agent says while it runs; none of it is a fact. */
export interface AgentNarrator {
  said(event: AgentEvent): void
  quiet(silentMs: number): void
  /** The agent's backend is used for the first time and was never run by our tests. */
  unverified(backend: string): void
}

export function narrateAgent({ report }: Context, brief: Brief): AgentNarrator {
  const iteration = brief.kind === 'iteration' ? brief.iteration.number : 0
  const place = brief.kind === 'iteration' ? {} : { wave_id: brief.wave, wave_index: brief.index }
  const tools = new Map<string, number>()

  const text = (delta: string): RunEvent =>
    brief.kind === 'iteration'
      ? { type: 'text_delta', iteration, delta }
      : { type: 'wave_worker_text_delta', worker_index: brief.index, delta, wave_id: brief.wave }
  const trouble = (code: string, message: string, more: object = {}): RunEvent => ({
    type: 'error',
    iteration,
    code,
    message,
    recoverable: true,
    ...more,
    ...place,
  })

  return {
    said(event) {
      switch (event.type) {
        case 'text':
          report(text(event.text))
          break
        case 'tool_start':
          tools.set(event.id, performance.now())
          if (brief.kind === 'iteration') {
            report({
              type: 'tool_call_start',
              iteration,
              tool_name: event.name,
              tool_call_id: event.id,
              input: event.input,
            })
          }
          break
        case 'tool_end': {
          const began = tools.get(event.id) ?? performance.now()
          tools.delete(event.id)
          if (brief.kind !== 'iteration') break
          report({
            type: 'tool_call_end',
            iteration,
            tool_call_id: event.id,
            output: event.output,
            is_error: event.isError,
            duration_ms: Math.round(performance.now() - began),
          })
          break
        }
        case 'retrying': {
          const wait = event.delayMs === undefined ? '' : ` in ${Math.round(event.delayMs / 1000)} s`
          report(
            trouble('backend_retry', `the program tries again${wait} (attempt ${event.attempt})`, {
              class: event.class,
            }),
          )
          break
        }
        case 'error':
          report(trouble('backend_error', event.message, { class: event.class }))
          break
        case 'thinking':
        case 'usage':
        case 'cost':
        case 'turns':
        case 'session':
        case 'final':
        case 'open':
        case 'terminal':
          break
        default:
          unreachable(event)
      }
    },
    quiet(silentMs) {
      report(trouble('agent_quiet', `no sign of life for ${Math.round(silentMs / 1000)} s`))
    },
    unverified(backend) {
      const message = `backend "${backend}" is unverified: no test of ralph has ever run its program`
      report(trouble('backend_unverified', message))
    },
  }
}
