import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { prepare } from '../../../core/agent/prepare.ts'
import type { AgentTask, Backend, Invocation } from '../../../core/backend/contract.ts'
import { sandbox } from '../../helpers/sandbox.ts'
import { textBackend } from './rig.ts'

function task(prompt: string): AgentTask {
  return { prompt, command: 'program', args: ['-x'] } as unknown as AgentTask
}

function argv(prepared: ReturnType<typeof prepare>): readonly string[] {
  if (!prepared.ok) throw new Error('not prepared')
  return prepared.value.invocation.argv
}

test('a prompt of 7000 bytes stands in the argument', () => {
  const prompt = 'ä'.repeat(3500)
  expect(argv(prepare(textBackend({ prompt: 'arg' }), task(prompt), '/nowhere'))).toEqual([
    'program',
    '-x',
    prompt,
  ])
})

test('a longer one stands in a file that the argument names; releasing removes it', async () => {
  await using box = sandbox()
  const prompt = `${'ä'.repeat(3500)}!`
  const prepared = prepare(textBackend({ prompt: 'arg' }), task(prompt), box.dir)
  const sentence = argv(prepared)[2] ?? ''
  const path = /\/\S+\.md/.exec(sentence)?.[0] ?? ''
  expect(sentence.length).toBeLessThan(500)
  expect(readFileSync(path, 'utf8')).toBe(prompt)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  if (prepared.ok) prepared.value.release()
  expect(readdirSync(box.dir)).toEqual([])
})

test('a backend that takes a file gets one for a short prompt too, and the whole prompt stands in it', async () => {
  await using box = sandbox()
  const takesFile: Partial<Backend> = {
    invoke: ({ prompt, promptFile }) => ({ argv: ['program', prompt, promptFile ?? 'none'], prompt: 'file' }),
  }
  const prompt = 'x'.repeat(8000)
  const short = prepare(textBackend(takesFile), task('short'), box.dir)
  const long = prepare(textBackend(takesFile), task(prompt), box.dir)
  expect(argv(short)[1]).toBe('short')
  expect(readFileSync(argv(short)[2] ?? '', 'utf8')).toBe('short')
  expect(argv(long)[1]).toBe(prompt)
  expect(readFileSync(argv(long)[2] ?? '', 'utf8')).toBe(prompt)
  for (const one of [short, long]) if (one.ok) one.value.release()
  expect(readdirSync(box.dir)).toEqual([])
})

test('on stdin a prompt of any length goes whole', () => {
  const prompt = 'x'.repeat(100_000)
  const prepared = prepare(textBackend(), task(prompt), '/nowhere')
  expect(prepared.ok && prepared.value.says).toEqual([{ write: prompt }, { closeStdin: true }])
})

test('a file that cannot be written is an error of the start', () => {
  const prepared = prepare(textBackend({ prompt: 'arg' }), task('x'.repeat(8000)), '/nowhere')
  expect(prepared).toMatchObject({ ok: false, error: { spawnError: expect.stringContaining('/nowhere') } })
})

describe('a backend that throws is blamed by name and function, and leaves no file', () => {
  const boom = (): never => {
    throw new Error('boom')
  }
  const table: [string, Partial<Backend>, string][] = [
    ['invoke', { invoke: boom }, 'backend "fake", invoke(): boom'],
    [
      'invoke without a program',
      { invoke: () => ({ argv: [], prompt: 'arg' }) },
      'backend "fake", invoke(): argv is no list of words that begins with a program',
    ],
    ['open', { open: boom }, 'backend "fake", open(): boom'],
    [
      'start',
      { open: (one) => ({ ...textBackend().open(one), start: boom }) },
      'backend "fake", open().start: boom',
    ],
  ]
  test.each(table)('%s', async (_, part, message) => {
    await using box = sandbox()
    const prepared = prepare(textBackend({ prompt: 'arg', ...part }), task('x'.repeat(8000)), box.dir)
    expect(prepared).toEqual({ ok: false, error: { failure: { class: 'crash', message } } })
    expect(readdirSync(box.dir)).toEqual([])
  })
})

describe('a private folder', () => {
  const wants = (files: NonNullable<Invocation['privateFiles']>): Backend => ({
    ...textBackend(),
    invoke: ({ privateDir }) => ({
      argv: ['program', `${privateDir}`],
      prompt: 'stdin',
      privateFiles: files,
    }),
  })

  test('holds the files that the backend asks for, readable by nobody else', async () => {
    await using box = sandbox()
    box.write('login.json', '{"key":1}')
    const privateDir = box.path('private/3')
    const backend = wants([
      { path: 'rules.toml', text: 'deny' },
      { path: 'deep/login.json', copyOf: box.path('login.json') },
      { path: 'absent.json', copyOf: box.path('absent.json') },
    ])
    expect(argv(prepare(backend, { ...task('p'), privateDir }, box.dir))).toEqual(['program', privateDir])
    expect(box.read('private/3/rules.toml')).toBe('deny')
    expect(box.read('private/3/deep/login.json')).toBe('{"key":1}')
    expect(box.exists('private/3/absent.json')).toBe(false)
    expect(statSync(privateDir).mode & 0o777).toBe(0o700)
    expect(statSync(box.path('private/3/deep/login.json')).mode & 0o777).toBe(0o600)
  })

  test('keeps what an earlier attempt left there', async () => {
    await using box = sandbox()
    const privateDir = box.path('private')
    const backend = wants([{ path: 'session', text: 'new' }])
    box.write('private/session', 'used')
    expect(prepare(backend, { ...task('p'), privateDir }, box.dir).ok).toBe(true)
    expect(box.read('private/session')).toBe('used')
  })

  test('is not made for a backend that wants none', async () => {
    await using box = sandbox()
    prepare(textBackend(), { ...task('p'), privateDir: box.path('private') }, box.dir)
    expect(box.exists('private')).toBe(false)
  })

  test.each(['../outside', '/outside', 'a/../../outside'])('takes no file %s', async (path) => {
    await using box = sandbox()
    const privateDir = box.path('private')
    const prepared = prepare(wants([{ path, text: 'x' }]), { ...task('p'), privateDir }, box.dir)
    expect(prepared).toMatchObject({ ok: false, error: { spawnError: expect.stringContaining('leads out') } })
    expect(box.exists('outside')).toBe(false)
  })
})
