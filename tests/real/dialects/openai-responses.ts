import { commandOf, type Dialect, eventStream, type Message, type ModelRequest } from './dialect.ts'
import { refuse } from './openai.ts'

/** The Responses API. */
export const openaiResponses: Dialect = {
  tokens: { input: 150, output: 25 },
  takes: (path) => path.endsWith('/responses'),
  read,
  answer: (message, { id, model }) => eventStream(eventsOf(message, id, model)),
  refuse,
}

interface Item {
  readonly type?: string
  readonly role?: string
  readonly content?: string | readonly { readonly text?: string }[]
}

function read(body: unknown): ModelRequest {
  const {
    input,
    model = '',
    tools = [],
  } = body as {
    readonly input?: string | readonly Item[]
    readonly model?: string
    readonly tools?: readonly unknown[]
  }
  const items: readonly Item[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  return {
    prompt: items
      .filter(({ role }) => role === 'user')
      .flatMap(({ content = [] }) =>
        typeof content === 'string' ? [content] : content.map(({ text }) => text ?? ''),
      )
      .join('\n'),
    turn: items.filter(({ type }) => type?.endsWith('_call_output')).length,
    model,
    hasTools: tools.length > 0,
  }
}

const USAGE = {
  input_tokens: 150,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 25,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 175,
}

function eventsOf(message: Message, id: string, model: string): readonly object[] {
  const command = commandOf(message)
  const said = { type: 'output_text', text: message.text, annotations: [] }
  const items = [
    { type: 'message', id: `said_${id}`, role: 'assistant', status: 'completed', content: [said] },
    ...(command === undefined
      ? []
      : [
          {
            type: 'function_call',
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: 'exec_command',
            arguments: JSON.stringify({ cmd: command }),
            status: 'completed',
          },
        ]),
  ]
  const response = { id, object: 'response', created_at: 0, model, output: items, usage: USAGE }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed' } },
  ]
}
