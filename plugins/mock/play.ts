import { readFileSync, writeSync } from 'node:fs'
import { type Actor, actorsOf, allScriptNames } from './actor.ts'
import { improvise } from './improvise/improvise.ts'
import { openLedger, type Starts } from './ledger.ts'
import { osCodeOf } from './os-error.ts'
import { type Ending, openAccount, type Performance, perform, printUsage, type Reading } from './perform.ts'
import { commandEnv, type Env, fill, type Values } from './placeholders.ts'
import { answersNudge, chooseSteps, cueOf } from './script/choose.ts'
import type { Loaded } from './script/load.ts'
import { createStage } from './stage.ts'
import { type Assignment, parseAssignment } from './wire.ts'
import { openWorkspace } from './workspace/workspace.ts'

/**
 * The program `ralph mock-agent`: reads its assignment from stdin, plays it in the current directory, and tells of it on
 * stdout. Returns the exit code. It is started by `ralph` itself; without an assignment it says so and returns 2.
 */
export async function play(): Promise<number> {
  const given = parseAssignment(await Bun.stdin.text())
  if (given === null) {
    writeSync(2, 'mock-agent: no assignment on stdin; this program is started by `ralph run -b mock`\n')
    return 2
  }
  const assignment = { ...given, ...wordsOf(process.argv) }
  const ledger = openLedger(assignment.role, process.pid)
  const term = trapTerm(() => ledger.end(null))
  const starts = ledger.start()
  const show = openShow(assignment, starts, term.ignore)
  try {
    const ending = await playAll(assignment, starts, show)
    if (ending.record === 'clean') close(show)
    ledger.end(ending.exit)
    return ending.exit
  } catch (error) {
    show.stage.print({ type: 'end', ok: false, class: 'unknown', message: String(error) })
    ledger.end(1)
    return 1
  }
}

/** `--model NAME` and `--resume ID`; the other words of the command line are the user's and mean nothing to the mock. */
function wordsOf(argv: readonly string[]): Pick<Assignment, 'model' | 'resume'> {
  const after = (flag: string): string | undefined => {
    const at = argv.indexOf(flag)
    return at === -1 ? undefined : argv[at + 1]
  }
  const [model, resume] = [after('--model'), after('--resume')]
  return { ...(model === undefined ? {} : { model }), ...(resume === undefined ? {} : { resume }) }
}

/** Before TERM does what it does to any program, `last` is called. */
function trapTerm(last: () => void): { readonly ignore: () => void } {
  let ignored = false
  const onTerm = (): void => {
    if (ignored) return
    last()
    process.off('SIGTERM', onTerm)
    process.kill(process.pid, 'SIGTERM')
  }
  process.on('SIGTERM', onTerm)
  return {
    ignore: () => {
      ignored = true
    },
  }
}

function openShow(assignment: Assignment, starts: Starts, ignoreTerm: () => void): Performance {
  const env: Env = process.env
  const show: Performance = {
    stage: createStage(env),
    ralph: assignment.ralph,
    account: openAccount(),
    ignoreTerm,
    async play(actors) {
      const workspace = openWorkspace(process.cwd(), env.RALPH_EVENTS_FILE)
      const steps = improvise(assignment, actors, starts, workspace)
      return perform(steps, { actor: actors[0] ?? '', fill: (text) => text, env: {} }, show)
    },
  }
  return show
}

const DONE: Ending = { exit: 0, record: 'clean' }

/** Plays all active hats, as one agent does. Those without steps in the script are improvised, together and last. */
async function playAll(assignment: Assignment, starts: Starts, show: Performance): Promise<Ending> {
  const { role } = assignment
  const hats = role.graph.map((hat) => hat.id)
  const loaded = assignment.script === undefined ? null : await loadScript(assignment.script, hats)
  if (loaded?.ok === false) {
    const message = loaded.problems.join('\n')
    show.stage.print({ type: 'end', ok: false, class: 'config', message })
    return { exit: 1, record: 'failed' }
  }

  const alone: Actor[] = []
  for (const actor of actorsOf(role)) {
    const start = starts(actor)
    const cue = cueOf(role, actor, start, assignment.resume !== undefined)
    if (loaded && answersNudge(loaded.script, cue, hats))
      show.stage.print({ type: 'session', id: `mock-${role.agent}` })
    const steps = loaded ? chooseSteps(loaded.script, cue, hats) : null
    if (steps === null) {
      alone.push(actor)
      continue
    }
    const ending = await perform(steps, readingOf(assignment, actor, start), show)
    if (ending !== null) return ending
  }
  return (alone.length > 0 ? await show.play(alone) : null) ?? DONE
}

/** YAML and the schema are loaded only where there is a script. */
async function loadScript(path: string, hats: readonly string[]): Promise<Loaded> {
  const { parseScript } = await import('./script/load.ts')
  try {
    return parseScript(path, readFileSync(path, 'utf8'), hats.length === 0 ? null : allScriptNames(hats))
  } catch (error) {
    const code = osCodeOf(error)
    if (code === null) throw error
    return { ok: false, problems: [`${path}: cannot read the script (${code})`] }
  }
}

function readingOf(assignment: Assignment, actor: Actor, start: number): Reading {
  const values = valuesOf(assignment, actor, start)
  return {
    actor,
    fill: (text) => fill(text, values, process.env),
    env: commandEnv(values, process.env),
  }
}

function valuesOf({ role, prompt, model }: Assignment, actor: Actor, start: number): Values {
  const event = role.events[0]
  return {
    payload: event?.payload ?? (role.kind === 'item' ? prompt : ''),
    topic: role.wave?.topic ?? event?.topic ?? '',
    index: role.wave === undefined ? '' : String(role.wave.index),
    total: role.wave === undefined ? '' : String(role.wave.total),
    wave: role.wave?.id ?? '',
    hat: actor.replaceAll(/[()]/g, ''),
    attempt: String(role.attempt),
    start: String(start),
    agent: String(role.agent),
    model: model ?? '',
    objective: role.objective,
    prompt,
  }
}

/** A clean end: what was used, then the last word. */
function close(show: Performance): void {
  printUsage(show)
  show.stage.print({ type: 'cost', usd: show.account.usd })
  show.stage.print({ type: 'end', ok: true, text: show.account.said })
}
