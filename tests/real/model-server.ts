/** What the model is asked: one request for the next message of a conversation. */
export interface ModelRequest {
  /** Text of all user messages. */
  readonly prompt: string
  /** Tool results that the conversation holds: how far it is. */
  readonly turn: number
  readonly model: string
}

/** What the model answers: words and at most one shell command to run, or an error of the API. */
export type ModelAnswer = Message | { readonly status: number; readonly errorType: string }

interface Message {
  readonly text: string
  readonly command?: string
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  /** All requests for a message, in order of arrival. */
  readonly requests: readonly ModelRequest[]
}

/**
 * A model behind the Anthropic Messages API on the loopback, whose answers are a function of the request. It keeps no state,
 * so that many programs may talk to it at once.
 */
export function startModelServer(
  answer: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>,
): ModelServer {
  const requests: ModelRequest[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (request.method !== 'POST') return new Response(null, { status: 200 })
      const body: unknown = await request.json().catch(() => ({}))
      if (pathname.endsWith('/count_tokens')) return Response.json({ input_tokens: 100 })
      if (!pathname.endsWith('/messages'))
        return Response.json({ error: { message: pathname } }, { status: 404 })
      const asked = readRequest(body)
      requests.push(asked)
      const id = `msg_${requests.length}`
      const answered = await answer(asked)
      return 'status' in answered ? refuse(answered) : streamMessage(id, asked.model, answered)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

interface Block {
  readonly type?: string
  readonly text?: string
}

function readRequest(body: unknown): ModelRequest {
  const { messages = [], model = '' } = body as {
    readonly messages?: readonly { readonly role: string; readonly content: string | readonly Block[] }[]
    readonly model?: string
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
  }
}

function refuse({ status, errorType }: { readonly status: number; readonly errorType: string }): Response {
  const error = { type: errorType, message: `scripted ${errorType}` }
  return Response.json({ type: 'error', error }, { status })
}

const USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 900,
  output_tokens: 20,
}

/** The message as the server-sent events of a streaming answer. */
function streamMessage(id: string, model: string, { text, command }: Message): Response {
  const blocks = [
    { start: { type: 'text', text: '' }, delta: { type: 'text_delta', text } },
    ...(command === undefined ? [] : [shellCall(id, command)]),
  ]
  const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null }
  const stop = { stop_reason: command === undefined ? 'end_turn' : 'tool_use', stop_sequence: null }
  const events = [
    {
      type: 'message_start',
      message: { ...message, stop_sequence: null, usage: { ...USAGE, output_tokens: 1 } },
    },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: 'content_block_start', index, content_block: start },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: stop, usage: USAGE },
    { type: 'message_stop' },
  ]
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'request-id': `req_${id}` } })
}

function shellCall(id: string, command: string): { readonly start: object; readonly delta: object } {
  const input = JSON.stringify({ command, description: 'scripted' })
  return {
    start: { type: 'tool_use', id: `toolu_${id}`, name: 'Bash', input: {} },
    delta: { type: 'input_json_delta', partial_json: input },
  }
}
