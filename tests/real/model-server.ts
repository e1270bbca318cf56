import { anthropic } from './dialects/anthropic.ts'
import type { Dialect, Message, ModelRequest, Refusal, Tokens } from './dialects/dialect.ts'
import { gemini } from './dialects/gemini.ts'
import { openaiChat } from './dialects/openai-chat.ts'
import { openaiResponses } from './dialects/openai-responses.ts'

export type { ModelRequest } from './dialects/dialect.ts'

/** What the model answers: a message, or an error of the API. */
export type ModelAnswer = Message | Refusal

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  /** All requests of conversations for a message, in order of arrival. */
  readonly requests: readonly ModelRequest[]
  /** Of all messages that were answered in conversations. */
  readonly told: Tokens & { readonly answers: number }
}

const DIALECTS: readonly Dialect[] = [anthropic, gemini, openaiResponses, openaiChat]

/**
 * A model on the loopback that speaks the APIs of Anthropic, Gemini and OpenAI, and whose answers are a function of the
 * request. It keeps no state, so that many programs may talk to it at once.
 */
export function startModelServer(
  answer: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>,
): ModelServer {
  const requests: ModelRequest[] = []
  const told = { input: 0, output: 0, answers: 0 }
  let answers = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (request.method !== 'POST') return Response.json({ object: 'list', data: [], models: [] })
      const body: unknown = await request.json().catch(() => ({}))
      if (/count_?tokens$/i.test(pathname)) return Response.json({ input_tokens: 100, totalTokens: 100 })
      const dialect = DIALECTS.find((one) => one.takes(pathname))
      if (dialect === undefined) return Response.json({ error: { message: pathname } }, { status: 404 })
      answers += 1
      const id = `answer_${answers}`
      const asked = dialect.read(body, pathname)
      const of = { id, model: asked.model, body }
      if (!asked.hasTools) return dialect.answer({ text: 'A title' }, of)
      requests.push(asked)
      const answered = await answer(asked)
      if ('status' in answered) return dialect.refuse(answered)
      told.input += dialect.tokens.input
      told.output += dialect.tokens.output
      told.answers += 1
      return dialect.answer(answered, of)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    told,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
