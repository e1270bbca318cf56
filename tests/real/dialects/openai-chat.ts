import { commandOf, type Dialect, eventStream, type Message, type ModelRequest } from './dialect.ts'
import { refuse } from './openai.ts'

/** The Chat Completions API. */
export const openaiChat: Dialect = {
  tokens: { input: 150, output: 25 },
  takes: (path) => path.endsWith('/chat/completions'),
  read,
  answer: (message, { id, model, body }) =>
    eventStream(chunksOf(message, { id, model, shell: shellOf(body) }), 'data: [DONE]\n\n'),
  refuse,
}

interface Asked {
  readonly messages?: readonly {
    readonly role: string
    readonly content?: string | readonly { readonly text?: string }[]
  }[]
  readonly model?: string
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[]
}

function read(body: unknown): ModelRequest {
  const { messages = [], model = '', tools = [] } = body as Asked
  return {
    prompt: messages
      .filter(({ role }) => role === 'user')
      .flatMap(({ content = [] }) =>
        typeof content === 'string' ? [content] : content.map(({ text }) => text ?? ''),
      )
      .join('\n'),
    turn: messages.filter(({ role }) => role === 'tool').length,
    model,
    hasTools: tools.length > 0,
  }
}

/** Each program has its own name for its shell. */
function shellOf(body: unknown): string {
  const names = ((body as Asked).tools ?? []).map((tool) => tool.function?.name ?? '')
  return names.find((name) => /^(bash|shell|run_shell_command)$/.test(name)) ?? 'bash'
}

const USAGE = {
  prompt_tokens: 150,
  completion_tokens: 25,
  total_tokens: 175,
  prompt_tokens_details: { cached_tokens: 40 },
}

function chunksOf(
  message: Message,
  { id, model, shell }: { readonly id: string; readonly model: string; readonly shell: string },
): readonly object[] {
  const command = commandOf(message)
  const args = JSON.stringify({ command, description: 'scripted' })
  const call = { index: 0, id: `call_${id}`, type: 'function', function: { name: shell, arguments: args } }
  const base = { id, object: 'chat.completion.chunk', created: 0, model }
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [
    chunk({ role: 'assistant', content: message.text }),
    ...(command === undefined ? [] : [chunk({ tool_calls: [call] })]),
    chunk({}, command === undefined ? 'stop' : 'tool_calls'),
    { ...base, choices: [], usage: USAGE },
  ]
}
