import type { ReadBlob } from '../blob.ts'
import { mayComplete, renderActiveHat } from './active-hat.ts'
import { shareBudget } from './aggregate.ts'
import type { IterationBrief, Material } from './brief.ts'
import { renderDone, renderHats, renderWorkflow } from './coordinator.ts'
import { renderEventWriting } from './event-writing.ts'
import { renderCutNote, renderPending } from './pending.ts'
import { renderScratchpad, renderScratchpadRules } from './scratchpad.ts'
import {
  renderGuardrails,
  renderGuidance,
  renderLastFailure,
  renderNotes,
  renderObjective,
  renderOrientation,
  renderStateManagement,
} from './sections.ts'
import { paragraphs } from './text.ts'

/** Bytes for the results of a prompt whose hats set no budget (contract/waves §2). */
export const RESULT_BUDGET_BYTES = 200_000

/** The prompt of an ordinary iteration: its sections in the order of contract/loop §13. Ends with a newline. */
export function renderIteration(brief: IterationBrief, material: Material, read: ReadBlob): string {
  const { hats, topology, completionPromise } = brief
  const context = { topology, completionPromise, material }
  const objective = read(brief.objective)
  const share = shareBudget(
    brief.pending.flatMap((one) => (one.kind === 'wave' ? [one.wave] : [])),
    budgetOf(brief),
  )
  const withHats = topology.hats.length > 0
  const coordinates = hats.length === 0
  const completes = coordinates || hats.some((hat) => mayComplete(hat, completionPromise))
  const body = paragraphs(
    renderCutNote(share),
    renderScratchpad(material.scratchpad),
    renderOrientation(brief.iteration.number, hats, withHats),
    renderScratchpadRules(material.scratchpad),
    renderStateManagement(material),
    renderNotes(material.notes),
    renderGuardrails(material.guardrails),
    renderObjective(objective),
    renderGuidance(brief.guidance.map(read)),
    renderPending(brief.pending, share, material, read),
    renderLastFailure(brief.lastFailure),
    coordinates ? renderWorkflow(withHats, material.scratchpad !== null) : '',
    coordinates && withHats ? renderHats(context, material) : '',
    ...hats.map((hat) => renderActiveHat(hat, context, material)),
    renderEventWriting(material.backend, completes),
    coordinates ? renderDone(completionPromise, objective, withHats, material.backend) : '',
  )
  return `${body}\n`
}

function budgetOf({ hats }: IterationBrief): number {
  const budgets = hats.flatMap((hat) => (hat.aggregate ? [hat.aggregate.budgetBytes] : []))
  return budgets.length === 0 ? RESULT_BUDGET_BYTES : Math.max(...budgets)
}
