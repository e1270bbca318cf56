import { errorAnswer, type Refusal } from './dialect.ts'

/** An error as both of its APIs tell it. */
export function refuse({ status, errorType }: Refusal): Response {
  const code = CODES[status] ?? errorType
  return errorAnswer(status, {
    error: { message: `scripted ${errorType}`, type: errorType, code, param: null },
  })
}

const CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }
