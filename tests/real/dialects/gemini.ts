import { type Dialect, errorAnswer, eventStream, type Message, type ModelRequest } from './dialect.ts'

/** `generateContent`, streamed. */
export const gemini: Dialect = {
  tokens: { input: 150, output: 30 },
  takes: (path) => /:(stream)?generateContent$/i.test(path),
  read,
  answer: (message, { id }) => eventStream([contentOf(message, id)]),
  refuse: ({ status, errorType }) =>
    errorAnswer(status, {
      error: { code: status, message: `scripted ${errorType}`, status: WORDS[status] ?? 'UNKNOWN' },
    }),
}

const WORDS: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

interface Part {
  readonly text?: string
  readonly functionResponse?: unknown
}

function read(body: unknown, path: string): ModelRequest {
  const { contents = [], tools = [] } = body as {
    readonly contents?: readonly { readonly role?: string; readonly parts?: readonly Part[] }[]
    readonly tools?: readonly unknown[]
  }
  const parts = contents.filter(({ role }) => role !== 'model').flatMap((content) => content.parts ?? [])
  return {
    prompt: parts.map((part) => part.text ?? '').join('\n'),
    turn: parts.filter((part) => part.functionResponse !== undefined).length,
    model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
    hasTools: tools.length > 0,
  }
}

function contentOf(message: Message, id: string): object {
  const parts = [{ text: message.text }, ...callsOf(message, `call_${id}`)]
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 150,
      candidatesTokenCount: 25,
      totalTokenCount: 180,
      cachedContentTokenCount: 40,
      thoughtsTokenCount: 5,
    },
    responseId: id,
  }
}

function callsOf({ command, file }: Message, id: string): readonly object[] {
  if (file !== undefined) {
    const args = { file_path: file.name, content: file.text }
    return [{ functionCall: { id, name: 'write_file', args } }]
  }
  if (command === undefined) return []
  const args = { command, description: 'scripted' }
  return [{ functionCall: { id, name: 'run_shell_command', args } }]
}
