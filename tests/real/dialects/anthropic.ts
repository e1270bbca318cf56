import {
  commandOf,
  type Dialect,
  errorAnswer,
  eventStream,
  type Message,
  type ModelRequest,
} from './dialect.ts'

/** The Messages API. */
export const anthropic: Dialect = {
  takes: (path) => path.endsWith('/messages'),
  read,
  answer: (message, { id, model }) => eventStream(eventsOf(message, id, model)),
  refuse: ({ status, errorType }) =>
    errorAnswer(status, {
      type: 'error',
      error: { type: errorType, message: `scripted ${errorType}` },
    }),
}

interface Block {
  readonly type?: string
  readonly text?: string
}

function read(body: unknown): ModelRequest {
  const {
    messages = [],
    model = '',
    tools = [],
  } = body as {
    readonly messages?: readonly { readonly role: string; readonly content: string | readonly Block[] }[]
    readonly model?: string
    readonly tools?: readonly unknown[]
  }
  const blocks = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }): readonly Block[] =>
      typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    )
  return {
    prompt: blocks.map((block) => block.text ?? '').join('\n'),
    turn: blocks.filter((block) => block.type === 'tool_result').length,
    model,
    hasTools: tools.length > 0,
  }
}

const USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 900,
  output_tokens: 20,
}

function eventsOf(message: Message, id: string, model: string): readonly object[] {
  const command = commandOf(message)
  const blocks = [
    { start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: message.text } },
    ...(command === undefined ? [] : [shellCall(id, command)]),
  ]
  const begun = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null }
  const stop = { stop_reason: command === undefined ? 'end_turn' : 'tool_use', stop_sequence: null }
  return [
    {
      type: 'message_start',
      message: { ...begun, stop_sequence: null, usage: { ...USAGE, output_tokens: 1 } },
    },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: 'content_block_start', index, content_block: start },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: stop, usage: USAGE },
    { type: 'message_stop' },
  ]
}

function shellCall(id: string, command: string): { readonly start: object; readonly delta: object } {
  const input = JSON.stringify({ command, description: 'scripted' })
  return {
    start: { type: 'tool_use', id: `toolu_${id}`, name: 'Bash', input: {} },
    delta: { type: 'input_json_delta', partial_json: input },
  }
}
