import { topicFault } from '../../topic.ts'
import { amount, flag, inert, integer, list, section, text, textWhere, visibleText } from './field.ts'

/** A topic, or a pattern of topics. */
export const topic = textWhere(topicFault, { pattern: '^\\S{1,200}$' })

export const eventLoop = section({
  prompt: text,
  prompt_file: text,
  completion_promise: visibleText,
  cancellation_promise: text,
  max_iterations: integer(1),
  max_runtime_seconds: integer(1),
  max_cost_usd: amount,
  max_tokens_total: integer(1),
  max_consecutive_failures: integer(1),
  max_silent_iterations: integer(0),
  cooldown_delay_seconds: integer(0),
  starting_event: topic,
  required_events: list(topic),
  persistent: flag,
  enforce_hat_scope: flag,
  context_window_tokens: integer(0),
  starting_hat: inert,
  mutation_score_warn_threshold: inert,
  checkpoint_interval: inert,
  idle_timeout_secs: inert,
})
