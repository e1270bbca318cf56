import { expect, test } from 'bun:test'
import { attributed } from '../../../core/backend/attributed.ts'
import type { Backend, Session } from '../../../core/backend/contract.ts'
import { defineBackend } from '../../../core/backend/define.ts'
import { RalphError } from '../../../core/errors.ts'
import { ended, TASK } from '../../plugins/replay.ts'

const good = defineBackend({ name: 'x', invoke: () => ({ argv: ['x'], prompt: 'arg' }) })
const look = {
  env: {},
  uid: 1,
  which: () => null,
  run: async () => ({ exitCode: 0, stdout: '', stderr: '' }),
}
const boom = (): never => {
  throw new TypeError('boom')
}
const session = (change: Partial<Session>): Partial<Backend> => ({
  open: () => ({ ...good.open(TASK), ...change }),
})

test.each<[where: string, change: Partial<Backend>, call: (backend: Backend) => unknown]>([
  ['invoke', { invoke: boom }, (backend) => backend.invoke(TASK)],
  ['open', { open: boom }, (backend) => backend.open(TASK)],
  ['open().start', session({ start: boom }), (backend) => backend.open(TASK).start()],
  ['open().line', session({ line: boom }), (backend) => backend.open(TASK).line('out', '')],
  ['open().ask', session({ ask: boom }), (backend) => backend.open(TASK).ask({ kind: 'interrupt' })],
  ['open().end', session({ end: boom }), (backend) => backend.open(TASK).end(ended(0))],
])('what is thrown in %s carries the names of backend and function, and its cause', (where, change, call) => {
  const error = thrownBy(() => call(attributed({ ...good, ...change })))
  expect(error.message).toBe(`backend "x", ${where}: boom`)
  expect(error.code).toBe('backend_threw')
  expect(error.cause).toBeInstanceOf(TypeError)
})

test('what detect rejects with carries them too', async () => {
  const backend = attributed({ ...good, detect: () => Promise.reject(new Error('boom')) })
  await expect(backend.detect(look)).rejects.toThrow('backend "x", detect: boom')
})

/** What plugins written without types may answer. */
const untyped = (answer: unknown): never => answer as never

test.each<[where: string, change: Partial<Backend>, call: (backend: Backend) => unknown]>([
  ['invoke', { invoke: () => untyped({ argv: 'x', prompt: 'arg' }) }, (backend) => backend.invoke(TASK)],
  ['invoke', { invoke: () => untyped({ argv: ['x'], prompt: 'letter' }) }, (backend) => backend.invoke(TASK)],
  [
    'open().line',
    session({ line: () => untyped(undefined) }),
    (backend) => backend.open(TASK).line('out', ''),
  ],
  [
    'open().end',
    session({ end: () => untyped({ says: [] }) }),
    (backend) => backend.open(TASK).end(ended(0)),
  ],
])('an answer of the wrong shape from %s does too', (where, change, call) => {
  expect(thrownBy(() => call(attributed({ ...good, ...change }))).message).toStartWith(
    `backend "x", ${where}: `,
  )
})

test('a good backend works as before', () => {
  const backend = attributed(good)
  expect(backend.invoke(TASK)).toEqual({ argv: ['x'], prompt: 'arg' })
  expect(backend.open(TASK).end(ended(0)).verdict).toEqual({ ok: true })
})

function thrownBy(call: () => unknown): RalphError {
  try {
    call()
  } catch (error) {
    if (error instanceof RalphError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
