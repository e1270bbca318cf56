import { type Actor, COORDINATOR } from '../actor.ts'
import type { Starts } from '../ledger.ts'
import type { Step } from '../step.ts'
import type { Assignment } from '../wire.ts'
import type { FileFacts } from '../workspace/facts.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { impliedFiles, namedFiles } from './find.ts'
import { itemsOf } from './items.ts'
import { agree, coordinatorMove, hatMove, type Move, missingMove, resultTopic } from './moves.ts'
import { count, factsReport, oneLine, summaryReport } from './report.ts'
import { createRoutes, type Routes } from './routes.ts'

/** Files that one agent looks into, at most. */
const LOOKS = 8

/** What these actors of one agent do without a script. The steps hold no placeholders. */
export function improvise(
  assignment: Assignment,
  actors: readonly Actor[],
  starts: Starts,
  workspace: Workspace,
): readonly Step[] {
  const { role } = assignment
  const routes = createRoutes(role.graph, role.completionPromise, role.cancellationPromise)
  if (role.wave !== undefined) return workerSteps(assignment, routes, workspace)
  if (role.graph.length === 0) return aloneSteps(assignment, workspace)
  return turnSteps(assignment, actors, starts, routes, workspace)
}

/** A worker or an item: facts about what its payload names, as its one result. */
function workerSteps(
  { role, prompt, model }: Assignment,
  routes: Routes,
  workspace: Workspace,
): readonly Step[] {
  const { index = 0, total = 1 } = role.wave ?? {}
  const task = role.events[0]?.payload ?? prompt
  const hat = routes.topology.hat(role.hats[0] ?? '')
  const topic = hat ? resultTopic(hat, routes) : null
  const title = `Part ${index + 1} of ${total}: ${oneLine(task, 80)}`
  const report = lookReport(title, task, { index, total }, workspace)
  return [
    say(
      `${introduction(hat?.id ?? 'an item', model)}: worker ${index + 1} of ${total}, on "${oneLine(task, 60)}".`,
    ),
    // Long enough to be seen side by side, and not all the same.
    { kind: 'sleep', seconds: 0.15 + 0.05 * (index % 6) },
    ...(topic === null ? [say(report)] : [emit(topic, report), say(`Reported on \`${topic}\`.`)]),
  ]
}

/** A run without hats: one report is the whole of it. */
function aloneSteps({ role, prompt, model }: Assignment, workspace: Workspace): readonly Step[] {
  const title = oneLine(role.objective, 80)
  const report = lookReport(title, role.objective, { index: 0, total: 1 }, workspace)
  return [
    say(`${introduction('the coordinator', model)}.`),
    pause(),
    ...acknowledgement(prompt),
    emit(role.completionPromise, report),
    say(report),
  ]
}

/** A turn of the loop: each hat sums up what it received and takes its move. */
function turnSteps(
  { role, prompt, model }: Assignment,
  actors: readonly Actor[],
  starts: Starts,
  routes: Routes,
  workspace: Workspace,
): readonly Step[] {
  const { used } = workspace
  const names = actors.map((actor) => (actor === COORDINATOR ? 'the coordinator' : actor)).join(' and ')
  const turn = Math.max(...actors.map(starts))
  const moves = actors.map((actor): Move => {
    const hat = routes.topology.hat(actor)
    const missing = missingMove(role.events, routes, used)
    return missing ?? (hat ? hatMove(hat, starts(actor), routes, used) : coordinatorMove(routes, used))
  })
  return [
    say(`${introduction(names, model)}: turn ${turn}.`),
    pause(),
    ...acknowledgement(prompt),
    ...agree(moves).flatMap((move) => moveSteps(move, `${names}, turn ${turn}`, role, workspace)),
  ]
}

function moveSteps(
  move: Move,
  title: string,
  role: Assignment['role'],
  workspace: Workspace,
): readonly Step[] {
  const summary = (closing: string): string => summaryReport(title, role.events, closing)
  switch (move.kind) {
    case 'wave': {
      const items = itemsOf(move.lanes, role.objective, workspace.files())
      const hats = move.lanes.map((lane) => `\`${lane.hat.id}\``).join(', ')
      return [{ kind: 'wave', items }, say(`Dispatched ${count(items.length, 'item')} to ${hats}.`)]
    }
    case 'pass': {
      const to = move.to === null ? 'the coordinator' : `\`${move.to.id}\``
      return [emit(move.topic, summary(`Next: ${to}.`)), say(`Handed over to ${to} by \`${move.topic}\`.`)]
    }
    case 'complete': {
      const report = summary('Everything was played; the run is complete.')
      return [emit(role.completionPromise, report), say(report)]
    }
    case 'rest':
      return [say(summary('There is no topic to hand over on.'))]
    default:
      return move satisfies never
  }
}

/** Looks into the files that a text names or implies, else into one share of the workspace. */
function lookReport(
  title: string,
  text: string,
  share: { readonly index: number; readonly total: number },
  workspace: Workspace,
): string {
  const files = workspace.files()
  const { chosen, reason } = choose(text, files, share)
  const facts: FileFacts[] = []
  let seen = 0
  for (const file of chosen) {
    if (facts.length >= LOOKS || seen >= LOOKS * 4) break
    seen += 1
    const found = workspace.facts(file)
    if (found) facts.push(found)
  }
  return factsReport(title, reason, facts, chosen.length - facts.length)
}

function choose(
  text: string,
  files: readonly string[],
  { index, total }: { readonly index: number; readonly total: number },
): { readonly chosen: readonly string[]; readonly reason: string } {
  const named = namedFiles(text, files)
  if (named.length > 0) return { chosen: named, reason: 'The task names these files.' }
  const implied = impliedFiles(text, files)
  if (implied.length > 0) return { chosen: implied, reason: 'The words of the task point to these files.' }
  const chosen = files.filter((_, i) => i % total === index)
  if (chosen.length > 0)
    return {
      chosen,
      reason: `The task names no file; this is share ${index + 1} of ${total} of the workspace.`,
    }
  return {
    chosen,
    reason: `There is no file to look at; the task has ${count([...text].length, 'character')}.`,
  }
}

/** The completion check waits for it while there is guidance, and only then the prompt names the topic. */
function acknowledgement(prompt: string): readonly Step[] {
  return prompt.includes('human.guidance.ack') ? [emit('human.guidance.ack', 'seen by the mock')] : []
}

function introduction(who: string, model: string | undefined): string {
  return `The mock plays ${who} without a model${model === undefined ? '' : ` (asked for: ${model})`}`
}

function say(text: string): Step {
  return { kind: 'say', text }
}

function emit(topic: string, text: string): Step {
  return { kind: 'emit', topic, payload: { text }, json: false }
}

function pause(): Step {
  return { kind: 'sleep', seconds: 0.15 }
}
