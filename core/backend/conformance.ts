import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../errors.ts'
import {
  type AgentTask,
  type Backend,
  FAILURE_CLASSES,
  type Invocation,
  type Look,
  type ProcessEnd,
  type Say,
  type Session,
  type Verdict,
} from './contract.ts'
import { BACKEND_NAME, isStartGap } from './plugin-shape.ts'
import { isVersionRange, versionIn } from './versions.ts'

/** One thing that a backend does not do as the contract asks. */
export interface Finding {
  /** Name of the rule. */
  readonly rule: string
  readonly message: string
}

/** Checks a backend against what the core relies on. Starts nothing and asks no machine; an empty list is a pass. */
export async function checkConformance(backend: Backend): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const [rule, check] of Object.entries(RULES)) {
    try {
      for (const message of await check(backend)) findings.push({ rule, message })
    } catch (error) {
      findings.push({ rule, message: `throws: ${messageOf(error)}` })
    }
  }
  return findings
}

type Rule = (backend: Backend) => readonly string[] | Promise<readonly string[]>

const RULES: Readonly<Record<string, Rule>> = {
  name: ({ name }) => (BACKEND_NAME.test(name) ? [] : [`"${name}" is not a word of a-z, 0-9 and -`]),
  traits: checkTraits,
  invoke: checkInvocation,
  arguments: checkArguments,
  model: checkModel,
  effort: checkEffort,
  setup: checkSetup,
  resume: checkResume,
  access: checkAccess,
  environment: checkEnvironment,
  prompt: checkPrompt,
  'unknown output': checkUnknownOutput,
  verdict: checkVerdicts,
  ask: checkAsk,
  detect: checkDetect,
}

const PROMPT = 'Do the thing.\n\nIt has two paragraphs, "quotes" and a $(substitution).\n'

const TASK: AgentTask = {
  prompt: PROMPT,
  cwd: '/workspace',
  command: '/opt/agent',
  args: ['--first', 'one', '--second'],
  env: { PATH: '/usr/bin:/bin', HOME: '/home/user' },
  privateDir: '/state/runs/run/private/3',
  uid: 1000,
  ralph: '/opt/ralph',
  role: {
    kind: 'worker',
    hats: ['reviewer'],
    runId: 'run',
    agent: 3,
    attempt: 1,
    runDir: '/state/runs/run',
    wave: { id: 'w-1-2-0', index: 1, total: 3, topic: 'review.file' },
    events: [{ topic: 'review.file', payload: 'a.ts' }],
    objective: 'review everything',
    completionPromise: 'LOOP_COMPLETE',
    graph: [],
  },
}

function checkTraits({ summary, traits }: Backend): readonly string[] {
  const { output, contextWindow, startGapMs, access, shell, enforces } = traits
  const flags = {
    ...shell,
    ...pick(traits, ['reportsCost', 'reportsTokens', 'takesModel', 'resumes', 'verified']),
  }
  return [
    ...unless(summary.trim() !== '' && !summary.includes('\n'), 'summary must be one line'),
    ...unless(output === 'text' || output === 'stream', "output must be 'text' or 'stream'"),
    ...unless(Number.isInteger(contextWindow) && contextWindow >= 0, 'contextWindow must be a whole number'),
    ...unless(isStartGap(startGapMs), 'startGapMs must be whole milliseconds, at most 60000'),
    ...unless(access.trim() !== '', 'access must say what an agent may do'),
    ...Object.entries(flags).flatMap(([name, flag]) =>
      unless(typeof flag === 'boolean', `${name} must be true or false`),
    ),
    ...unless(Object.keys(shell).length >= 4, 'shell must have all four flags'),
    ...Object.entries(enforces).flatMap(([level, { says }]) =>
      unless(says.trim() !== '', `enforces.${level}.says must say what an agent may do then`),
    ),
  ]
}

function checkInvocation(backend: Backend): readonly string[] {
  const first = backend.invoke(TASK)
  const { argv, killGraceMs = 250 } = first
  return [
    ...unless(isDeepStrictEqual(first, backend.invoke(TASK)), 'the same task gives two different answers'),
    ...unless(argv.length > 0, 'argv is empty'),
    ...argv.flatMap((word, at) => unless(typeof word === 'string' && word !== '', `argv[${at}] is no text`)),
    ...argv.flatMap((word, at) => unless(!`${word}`.includes('\0'), `argv[${at}] holds a NUL`)),
    ...unless(killGraceMs >= 0 && killGraceMs <= 3000, 'killGraceMs must be between 0 and 3000'),
  ]
}

/**
 * A configured program replaces the first word, unless that is this very ralph; further arguments follow the fixed ones,
 * in order, before the prompt.
 */
function checkArguments(backend: Backend): readonly string[] {
  const { argv } = backend.invoke(TASK)
  const begin = argv.indexOf(TASK.args[0] ?? '')
  const inOrder = begin > 0 && isDeepStrictEqual(argv.slice(begin, begin + TASK.args.length), TASK.args)
  const prompt = argv.findIndex((word) => word.includes(TASK.prompt))
  return [
    ...unless(
      argv[0] === TASK.command || argv[0] === TASK.ralph,
      'a configured command does not replace the program',
    ),
    ...unless(inOrder, 'the further arguments are missing, or not in their order'),
    ...unless(prompt === -1 || prompt > begin, 'the further arguments come after the prompt'),
  ]
}

function checkModel(backend: Backend): readonly string[] {
  const model = 'model-for-the-check'
  const { argv, env } = backend.invoke({ ...TASK, model })
  const passed = JSON.stringify([argv, env ?? {}]).includes(model)
  return backend.traits.takesModel
    ? unless(passed, 'takesModel is true, but a model reaches neither argv nor the environment')
    : unless(!passed, 'takesModel is false, but a model is passed')
}

/** Each level reaches the program, and no two of them are the same to it. */
function checkEffort(backend: Backend): readonly string[] {
  const { effort = [] } = backend.traits
  const started = (level?: string): string => {
    const { argv, env = {} } = backend.invoke(level === undefined ? TASK : { ...TASK, effort: level })
    return JSON.stringify([argv, env])
  }
  const seen = new Set([started()])
  return [
    ...effort.flatMap((level) => {
      const isNew = !seen.has(started(level))
      seen.add(started(level))
      return [
        ...unless(isWord(level), `traits.effort: "${level}" is no word of a-z, 0-9 and -`),
        ...unless(isNew, `traits.effort: "${level}" makes no difference to argv or the environment`),
      ]
    }),
    ...unless(
      effort.length > 0 || seen.has(started('level-for-the-check')),
      'traits.effort is empty, but a level is passed',
    ),
  ]
}

function isWord(text: unknown): boolean {
  return typeof text === 'string' && /^[a-z][a-z0-9-]*$/.test(text)
}

function checkSetup({ setup }: Backend): readonly string[] {
  const { install, login, troubles = [], measured = [] } = setup ?? {}
  const files = [...(login?.files ?? []), ...(login?.elsewhere?.ifThere ?? [])]
  const variables = [...(login?.variables ?? []), ...files.flatMap(({ variable }) => variable ?? [])]
  return [
    ...unless(install === undefined || isLine(install), 'setup.install must be one line'),
    ...unless(login === undefined || isLine(login.how), 'setup.login.how must be one line'),
    ...variables.flatMap((name) =>
      unless(isVariable(name), `setup.login: "${name}" is no name of a variable`),
    ),
    ...files.flatMap(({ folder, name }) =>
      unless(
        isBelow(folder) && isBelow(name),
        `setup.login: ${folder}/${name} must be relative to the home, without ..`,
      ),
    ),
    ...troubles.flatMap(({ versions, text }) => [
      ...unless(isVersionRange(versions), `setup.troubles: "${versions}" is no range of versions`),
      ...unless(isLine(text), `setup.troubles: what is wrong with ${versions} must be one line`),
    ]),
    ...measured.flatMap((version) =>
      unless(versionIn(version) === version, `setup.measured: "${version}" is no version`),
    ),
  ]
}

function isLine(text: string): boolean {
  return text.trim() !== '' && !text.includes('\n')
}

function isBelow(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..')
}

function checkResume(backend: Backend): readonly string[] {
  const session = 'session-for-the-check'
  const { argv, env } = backend.invoke({ ...TASK, resume: { session, usage: null, costUsd: null } })
  const passed = JSON.stringify([argv, env ?? {}]).includes(session)
  return unless(
    passed || !backend.traits.resumes,
    'resumes is true, but a session reaches neither argv nor the environment',
  )
}

/** A level that the program is held to shows in how it is started. */
function checkAccess(backend: Backend): readonly string[] {
  const full = backend.invoke(TASK)
  return (['read', 'edit'] as const).flatMap((access) => {
    const held = backend.invoke({ ...TASK, access })
    const differs = !isDeepStrictEqual(full, held)
    const outside = (held.privateFiles ?? []).filter(
      ({ path }) => path.startsWith('/') || path.includes('..'),
    )
    return [
      ...unless(
        differs || backend.traits.enforces[access] === undefined,
        `enforces.${access} is there, but the program is started as with full access`,
      ),
      ...outside.map(({ path }) => `the private file ${path} leads out of the private folder`),
    ]
  })
}

function checkEnvironment(backend: Backend): readonly string[] {
  const { set = {}, unset = [] } = backend.invoke(TASK).env ?? {}
  return [
    ...Object.entries(set).flatMap(([name, value]) => [
      ...unless(isVariable(name), `"${name}" is no name of a variable`),
      ...unless(typeof value === 'string' && !value.includes('\0'), `${name} is set to what is no text`),
      ...unless(!unset.includes(name), `${name} is set and unset`),
      ...unless(!value.includes(PROMPT), `${name} holds the prompt: it may be too long for that`),
    ]),
    ...unset.flatMap((name) => unless(isVariable(name), `"${name}" is no name of a variable`)),
    ...[...Object.keys(set), ...unset].flatMap((name) =>
      unless(!name.startsWith('RALPH_'), `${name} belongs to ralph`),
    ),
  ]
}

function checkPrompt(backend: Backend): readonly string[] {
  const invocation = backend.invoke(TASK)
  const inArgv = invocation.argv.some((word) => word.includes(PROMPT))
  const says = backend.open(TASK).start()
  const written = says.flatMap((say) => ('write' in say ? say.write : [])).join('')
  if (invocation.prompt === 'file')
    return [
      ...unless(namesFile(backend), 'prompt is in a file, but argv does not name task.promptFile'),
      ...unless(written === '', 'prompt is in a file, and the session writes too'),
    ]
  if (invocation.prompt === 'arg')
    return [
      ...unless(inArgv || shorter(backend, invocation), 'prompt is in argv, but the prompt is not there'),
      ...unless(written === '', 'prompt is in argv, and the session writes too'),
    ]
  return [
    ...unless(
      written.includes(JSON.stringify(PROMPT).slice(1, -1)) || written.includes(PROMPT),
      'the session does not write the prompt',
    ),
    ...unless(!inArgv, 'prompt goes to stdin, but stands in argv too'),
  ]
}

function namesFile(backend: Backend): boolean {
  const promptFile = '/tmp/prompt-for-the-check.md'
  return backend.invoke({ ...TASK, promptFile }).argv.some((word) => word.includes(promptFile))
}

/** True if argv changes with the prompt, in whatever form it carries it. */
function shorter(backend: Backend, long: Invocation): boolean {
  return !isDeepStrictEqual(long.argv, backend.invoke({ ...TASK, prompt: 'short' }).argv)
}

const UNKNOWN_LINES: readonly string[] = [
  '',
  ' ',
  'plain words',
  '{',
  '{"type":',
  'null',
  '[]',
  '[null,1,"x"]',
  '{}',
  '{"type":null}',
  '{"type":"never heard of"}',
  '{"type":"assistant"}',
  '{"type":"assistant","message":null}',
  '{"type":"assistant","message":{"content":[null,7,{"type":"text"}],"usage":"none"}}',
  '{"type":"user","message":{"content":"text"}}',
  '{"type":"result"}',
  '{"type":"result","usage":7,"stats":[],"error":"x"}',
  '\u001b[31mred\u001b[0m \u0000 \ufffd',
  'x'.repeat(1_000_000),
  `{"type":"${'y'.repeat(1_000_000)}"}`,
]

function checkUnknownOutput(backend: Backend): readonly string[] {
  const session = backend.open(TASK)
  const wrong: string[] = []
  for (const stream of ['out', 'err'] as const)
    for (const line of UNKNOWN_LINES) {
      const shown =
        line.length > 60 ? `${line.slice(0, 20)}… (${line.length} characters)` : JSON.stringify(line)
      try {
        wrong.push(...checkSays(session.line(stream, line)).map((what) => `line ${shown}: ${what}`))
      } catch (error) {
        wrong.push(`line ${shown} on ${stream} throws: ${messageOf(error)}`)
      }
    }
  return [...wrong, ...checkEnd(session, EXIT_0).wrong]
}

const EXIT_0: ProcessEnd = { exitCode: 0, signal: null, stoppedByUs: false, stdoutTail: '', stderrTail: '' }

function checkVerdicts(backend: Backend): readonly string[] {
  const end = (change: Partial<ProcessEnd>): { verdict: Verdict | null; wrong: readonly string[] } =>
    checkEnd(backend.open(TASK), { ...EXIT_0, ...change })
  const silent = end({})
  const failed = end({ exitCode: 7, stderrTail: 'boom' })
  const killed = end({ exitCode: null, signal: 'SIGKILL' })
  const stopped = end({ exitCode: null, signal: 'SIGTERM', stoppedByUs: true })
  const streams = backend.traits.output === 'stream'
  return [
    ...[silent, failed, killed, stopped].flatMap(({ wrong }) => wrong),
    ...unless(!streams || silent.verdict?.ok === false, 'exit code 0 without any output is a success'),
    ...unless(failed.verdict?.ok === false, 'exit code 7 is a success'),
    ...unless(killed.verdict?.ok === false, 'an end by SIGKILL is a success'),
  ]
}

function checkEnd(session: Session, end: ProcessEnd): { verdict: Verdict | null; wrong: readonly string[] } {
  try {
    const { says, verdict } = session.end(end)
    return { verdict, wrong: [...checkSays(says), ...checkVerdict(verdict)] }
  } catch (error) {
    return { verdict: null, wrong: [`end throws: ${messageOf(error)}`] }
  }
}

function checkVerdict(verdict: Verdict): readonly string[] {
  if (verdict.ok) return []
  const known = FAILURE_CLASSES.some((name) => name === verdict.class)
  return [
    ...unless(known, `"${verdict.class}" is no class of failure`),
    ...unless(verdict.message.trim() !== '', 'a failure has no message'),
  ]
}

function checkAsk(backend: Backend): readonly string[] {
  const session = backend.open(TASK)
  return [
    ...checkSays(session.ask({ kind: 'interrupt' })),
    ...checkSays(session.ask({ kind: 'say', text: 'hello' })),
  ]
}

function checkSays(says: readonly Say[]): readonly string[] {
  if (!Array.isArray(says)) return ['the answer is no list']
  return says.flatMap((say) =>
    unless('event' in say || 'write' in say || 'closeStdin' in say, 'an answer is neither event nor write'),
  )
}

async function checkDetect(backend: Backend): Promise<readonly string[]> {
  const absent = await backend.detect(emptyMachine(null))
  const present = await backend.detect(emptyMachine('/usr/bin/agent'))
  return [
    ...unless(absent.path === undefined, 'it gives a path where no program is'),
    ...unless(absent.program !== '', 'it does not say which program it looked for'),
    ...unless(absent.found || absent.problems.length > 0, 'it is not found, and no problem says why'),
    ...[...absent.problems, ...present.problems].flatMap(({ message, hint }) =>
      unless(message !== '' && hint !== '', 'a problem lacks its message or its hint'),
    ),
  ]
}

/** A machine where every program, or none, is at `path` and answers with a version. */
function emptyMachine(path: string | null): Look {
  return {
    env: {},
    uid: 1000,
    which: () => path,
    run: async () => ({ exitCode: path === null ? null : 0, stdout: '1.2.3\n', stderr: '' }),
  }
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}

function pick<T, K extends keyof T & string>(from: T, names: readonly K[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, from[name]]))
}

function unless(holds: boolean, otherwise: string): readonly string[] {
  return holds ? [] : [otherwise]
}
