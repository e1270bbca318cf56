import type { Actor } from './actor.ts'
import type { Called, Stage } from './stage.ts'
import type { Step } from './step.ts'

/** One agent's performance, over all the hats that it plays. */
export interface Performance {
  readonly stage: Stage
  readonly ralph: string
  readonly account: Account
  /** From here on TERM has no effect. */
  ignoreTerm(): void
  /** Does what these actors do without a script. */
  play(actors: readonly Actor[]): Promise<Ending | null>
}

/** How the steps of one actor are read. */
export interface Reading {
  readonly actor: Actor
  /** Fills in placeholders; improvised steps hold none. */
  fill(text: string): string
  /** Environment of its commands. */
  readonly env: Readonly<Record<string, string>>
}

/** What the agent has used so far, and what it said last. */
export interface Account {
  usd: number
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  said: string
  calls: number
}

export function openAccount(): Account {
  return { usd: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, said: '', calls: 0 }
}

/** Ends the performance before its last step; `record` is what the stream says of it, if anything. */
export interface Ending {
  readonly exit: number
  readonly record: 'clean' | 'failed' | 'none'
}

/** Does the steps in order. Null: all were done. */
export async function perform(
  steps: readonly Step[],
  reading: Reading,
  show: Performance,
): Promise<Ending | null> {
  for (const step of steps) {
    const ending = await performStep(step, reading, show)
    if (ending) return ending
  }
  return null
}

async function performStep(step: Step, reading: Reading, show: Performance): Promise<Ending | null> {
  const { stage, account } = show
  const filled: Fill = (text) => reading.fill(text)

  switch (step.kind) {
    case 'say':
      account.said = filled(step.text)
      stage.print({ type: 'text', text: `${account.said}\n` })
      return null
    case 'think':
      stage.print({ type: 'thinking', text: filled(step.text) })
      return null
    case 'tool':
      await asTool(show, filled(step.name), filled(step.input), async () => ({
        exit: step.failed ? 1 : 0,
        output: filled(step.output),
      }))
      return null
    case 'run':
      await asTool(show, 'bash', step.command, () =>
        stage.call(['bash', '-c', step.command], { env: reading.env }),
      )
      return null
    case 'emit':
      await emit(step, filled, show)
      return null
    case 'wave':
      await wave(
        step.items.map(({ topic, payload }) => ({ topic: filled(topic), payload: filled(payload) })),
        show,
      )
      return null
    case 'sleep':
      await Bun.sleep(step.seconds * 1000)
      return null
    case 'fail':
      stage.print({
        type: 'end',
        ok: false,
        class: step.class,
        message: filled(step.message),
        ...(step.retryAfterSeconds === null
          ? {}
          : { retry_after_ms: Math.round(step.retryAfterSeconds * 1000) }),
      })
      return { exit: 1, record: 'failed' }
    case 'exit':
      return { exit: step.code, record: step.code === 0 ? 'clean' : 'none' }
    case 'hang':
      return await new Promise<never>(() => setInterval(() => {}, 60_000))
    case 'ignore_term':
      show.ignoreTerm()
      return null
    case 'print_mb':
      stage.flood('stdout', Math.round(step.stdout * 1_000_000))
      stage.flood('stderr', Math.round(step.stderr * 1_000_000))
      return null
    case 'cost':
      account.usd += step.usd
      stage.print({ type: 'cost', usd: account.usd })
      return null
    case 'usage':
      account.input += step.input
      account.output += step.output
      account.cacheRead += step.cacheRead
      account.cacheWrite += step.cacheWrite
      printUsage(show)
      return null
    case 'end':
      account.said = filled(step.text)
      stage.print({ type: 'end', ok: true, text: account.said })
      return null
    case 'play':
      return await show.play([reading.actor])
    default:
      return step satisfies never
  }
}

/** Totals so far, as the stream wants them: `input` includes what came from or went to a cache. */
export function printUsage({ stage, account }: Pick<Performance, 'stage' | 'account'>): void {
  const { input, output, cacheRead, cacheWrite } = account
  stage.print({
    type: 'usage',
    usage: { input: input + cacheRead + cacheWrite, output, cacheRead, cacheWrite, context: 0 },
  })
}

type Fill = (text: string) => string

async function emit(step: Extract<Step, { kind: 'emit' }>, filled: Fill, show: Performance): Promise<void> {
  const topic = filled(step.topic)
  const json = step.json ? ['--json'] : []
  const { payload } = step
  if (payload === null) {
    await asTool(show, 'ralph emit', topic, () => show.stage.call([show.ralph, 'emit', topic, ...json]))
  } else if ('file' in payload) {
    const file = filled(payload.file)
    await asTool(show, 'ralph emit', `${topic} --payload-file ${file}`, () =>
      show.stage.call([show.ralph, 'emit', topic, '--payload-file', file, ...json]),
    )
  } else {
    const text = filled(payload.text)
    // `emit` leaves out one last newline, so that the payload itself keeps its own.
    await asTool(show, 'ralph emit', `${topic}\n${text}`, () =>
      show.stage.call([show.ralph, 'emit', topic, '--stdin', ...json], { stdin: `${text}\n` }),
    )
  }
}

async function wave(
  items: readonly { readonly topic: string; readonly payload: string }[],
  show: Performance,
): Promise<void> {
  const lines = items.map((item) => JSON.stringify(item)).join('\n')
  await asTool(show, 'ralph wave emit', lines, () =>
    show.stage.call([show.ralph, 'wave', 'emit', '--jsonl'], { stdin: `${lines}\n` }),
  )
}

/** Shows a call in the stream while it runs. What fails is shown as failed, and the player goes on. */
async function asTool(
  show: Performance,
  name: string,
  input: string,
  call: () => Promise<Called>,
): Promise<void> {
  show.account.calls += 1
  const id = `call-${show.account.calls}`
  show.stage.print({ type: 'tool', id, name, input })
  const { exit, output } = await call()
  // Who ends the group ends the player too: its own TERM may arrive a moment after that of the command.
  if (exit === ENDED_BY_TERM) await Bun.sleep(50)
  show.stage.print({ type: 'tool_result', id, output: output.trimEnd(), is_error: exit !== 0 })
}

const ENDED_BY_TERM = 128 + 15
