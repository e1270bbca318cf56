import { type Dialect, errorAnswer, eventStream, type Message, type ModelRequest } from './dialect.ts'

/** The Messages API. */
export const anthropic: Dialect = {
  tokens: { input: 1000, output: 20 },
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
  const call = callOf(message)
  const blocks = [
    { start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: message.text } },
    ...(call === null ? [] : [blockOf(id, call)]),
  ]
  const begun = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null }
  const stop = { stop_reason: call === null ? 'end_turn' : 'tool_use', stop_sequence: null }
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

interface Call {
  readonly name: string
  readonly input: object
}

function callOf({ command, file, inBackground = false }: Message): Call | null {
  if (file !== undefined) return { name: 'Write', input: { file_path: file.name, content: file.text } }
  if (command === undefined) return null
  const background = inBackground ? { run_in_background: true } : {}
  return { name: 'Bash', input: { command, description: 'scripted', ...background } }
}

function blockOf(id: string, { name, input }: Call): { readonly start: object; readonly delta: object } {
  return {
    start: { type: 'tool_use', id: `toolu_${id}`, name, input: {} },
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  }
}
