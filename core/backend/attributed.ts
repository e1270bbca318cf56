import { messageOf, RalphError } from '../errors.ts'
import type { Backend, Detection, Invocation, Say, Session } from './contract.ts'

/**
 * The same backend, but what it throws or answers wrongly carries its name and its function's:
 * `backend "x", open().line: …`, code `backend_threw`, with the cause.
 */
export function attributed(backend: Backend): Backend {
  const { name } = backend
  return {
    name,
    summary: backend.summary,
    traits: backend.traits,
    ...(backend.program === undefined ? {} : { program: backend.program }),
    ...(backend.setup === undefined ? {} : { setup: backend.setup }),
    async detect(look) {
      try {
        return expectDetection(await backend.detect(look))
      } catch (error) {
        throw threw(name, 'detect', error)
      }
    },
    invoke: (task) => guard(name, 'invoke', () => expectInvocation(backend.invoke(task))),
    open: (task) =>
      attributedSession(
        name,
        guard(name, 'open', () => backend.open(task)),
      ),
  }
}

function attributedSession(name: string, session: Session): Session {
  return {
    start: () => guard(name, 'open().start', () => expectSays(session.start())),
    line: (stream, text) => guard(name, 'open().line', () => expectSays(session.line(stream, text))),
    ask: (request) => guard(name, 'open().ask', () => expectSays(session.ask(request))),
    end: (end) =>
      guard(name, 'open().end', () => {
        const last = session.end(end)
        expectSays(last?.says)
        if (typeof last.verdict?.ok !== 'boolean') throw new TypeError('there is no verdict with "ok"')
        return last
      }),
  }
}

function guard<T>(name: string, where: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw threw(name, where, error)
  }
}

function threw(name: string, where: string, error: unknown): RalphError {
  if (error instanceof RalphError && error.code === 'backend_threw') return error
  return new RalphError('backend_threw', `backend "${name}", ${where}: ${messageOf(error)}`, { cause: error })
}

function expectInvocation(given: Invocation): Invocation {
  const { argv, prompt } = given
  if (!Array.isArray(argv) || argv.length === 0 || argv.some((word) => typeof word !== 'string'))
    throw new TypeError('"argv" must be a list of strings that begins with the program')
  if (prompt !== 'arg' && prompt !== 'stdin' && prompt !== 'file')
    throw new TypeError(`"prompt" must be 'arg', 'stdin' or 'file'`)
  return given
}

function expectSays(says: readonly Say[]): readonly Say[] {
  if (!Array.isArray(says)) throw new TypeError('the answer must be a list')
  return says
}

function expectDetection(detection: Detection): Detection {
  if (typeof detection?.found !== 'boolean' || !Array.isArray(detection.problems))
    throw new TypeError('the answer must have "found" and "problems"')
  return detection
}
