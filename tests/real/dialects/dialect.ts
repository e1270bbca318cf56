/** What the model is asked: one request for the next message of a conversation. */
export interface ModelRequest {
  /** Text of all user messages. */
  readonly prompt: string
  /** Tool results that the conversation holds: how far it is. */
  readonly turn: number
  readonly model: string
  /** False for what a program asks beside its conversation, such as a title. */
  readonly hasTools: boolean
}

/** What the model answers: words, and at most one tool to use: a shell command, or a file of the workspace to write. */
export interface Message {
  readonly text: string
  readonly command?: string
  /** The command is not waited for. One program knows that. */
  readonly inBackground?: boolean
  readonly file?: { readonly name: string; readonly text: string }
}

/** An error of the API. `errorType` is Anthropic's word. */
export interface Refusal {
  readonly status: number
  readonly errorType: string
}

/** Tokens, of one answer or of several: input includes what came from a cache, output what was thought. */
export interface Tokens {
  readonly input: number
  readonly output: number
}

/** One way to ask a model over HTTP. */
export interface Dialect {
  /** What every answer says that it took. */
  readonly tokens: Tokens
  /** True for the path of a request for a message. */
  takes(path: string): boolean
  read(body: unknown, path: string): ModelRequest
  /** The message as a streaming answer. `id` is another for each. */
  answer(
    message: Message,
    of: { readonly id: string; readonly model: string; readonly body: unknown },
  ): Response
  refuse(refusal: Refusal): Response
}

/** Server-sent events; a `type` among their fields is their name too. */
export function eventStream(events: readonly object[], last = ''): Response {
  const lines = events.map((event) => {
    const name = 'type' in event ? `event: ${String(event.type)}\n` : ''
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
  return new Response(lines.join('') + last, { headers: { 'content-type': 'text/event-stream' } })
}

/** An error's answer; a program that is to wait is told for how long. */
export function errorAnswer(status: number, body: object): Response {
  return Response.json(body, { status, headers: status === 429 ? { 'retry-after': '1' } : {} })
}

/** The command of a message to a program of which no file tool is known here. */
export function commandOf({ command, file }: Message): string | undefined {
  if (file !== undefined) throw new Error(`this dialect knows no tool that writes ${file.name}`)
  return command
}
