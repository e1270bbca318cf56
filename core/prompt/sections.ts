import type { Hat } from '../hat.ts'
import type { Material } from './brief.ts'
import { block } from './hand-over.ts'
import { fence, paragraphs, section } from './text.ts'

/** Who reads this, and what one iteration is. `topology` empty: a run without hats. */
export function renderOrientation(iteration: number, hats: readonly Hat[], withHats: boolean): string {
  return section(
    '## ORIENTATION',
    role(hats, withHats),
    `This is iteration ${iteration}. You begin with a fresh context: of what happened before you know what stands in this prompt, in the files of the workspace and in its version history, nothing more. What you do not write down is lost when you end.`,
    'Do one task in this iteration, finish it, check that it holds, and end your turn.',
  )
}

/** How agents reach `ralph`, and where they keep what must last. */
export function renderStateManagement(material: Material): string {
  return section(
    '## STATE MANAGEMENT',
    [
      '- The program `ralph` connects you with the loop. If your shell does not find it, call `"$RALPH_BIN"` in its place.',
      material.scratchpad
        ? `- What the next iteration must know goes into the scratchpad; longer notes into Markdown files of their own in \`${NOTES_DIR}\`.`
        : `- Notes for later iterations go into Markdown files in \`${NOTES_DIR}\`.`,
      `- Specifications are in \`${material.specsDir}\`. Read those that concern your task, and write new ones there.`,
      '- Leave all other files under `.ralph/` alone: the loop needs them.',
      ...(material.backend.advice ?? []).map((line) => `- ${line}`),
    ].join('\n'),
  )
}

/** Other notes that agents have left. */
export function renderNotes(notes: readonly string[]): string {
  if (notes.length === 0) return ''
  return section(
    '## NOTES',
    'Earlier iterations left these files. Read those that concern your task:',
    notes.map((path) => `- \`${path}\``).join('\n'),
  )
}

/** Numbered from 999 up. */
export function renderGuardrails(guardrails: readonly string[]): string {
  const lines = guardrails.map((rule, i) => `${999 + i}. ${rule.trim().replaceAll('\n', '\n   ')}`)
  return section('## GUARDRAILS', lines.length > 0 ? lines.join('\n') : 'None were set for this run.')
}

export function renderObjective(objective: string): string {
  return section(
    '## OBJECTIVE',
    'This is what the user asked for. The whole run serves it.',
    fence(objective),
  )
}

/** Unacknowledged guidance, and how to acknowledge it. */
export function renderGuidance(guidance: readonly string[]): string {
  if (guidance.length === 0) return ''
  return section(
    '## GUIDANCE',
    'A person has sent this while the run was going on. It comes before your own plans:',
    guidance.map(fence).join('\n\n'),
    paragraphs(
      'The run cannot complete before this is acknowledged. When you have taken it into account, in your work or in your notes for later iterations, acknowledge it:',
      block('ralph emit human.guidance.ack'),
    ),
  )
}

/** Why the last iteration failed. */
export function renderLastFailure(reason: string | null): string {
  if (reason === null) return ''
  return section(
    '## LAST ITERATION',
    'The last iteration failed, and its events were given to you again. Some of its work may be done already: look before you repeat it. The reason:',
    fence(reason),
  )
}

const NOTES_DIR = '.ralph/agent/'

function role(hats: readonly Hat[], withHats: boolean): string {
  if (hats.length > 1) {
    return 'You are Ralph, an agent in a loop of AI agents. Several hats are yours in this iteration: play them one after the other, in the order below. Your task is the work of these hats.'
  }
  if (hats.length === 1) {
    return 'You are Ralph, an agent in a loop of AI agents. In this iteration you wear one hat, described below. Your task is the work of this hat, not that of the others.'
  }
  return withHats
    ? 'You are Ralph, the coordinator of a loop of AI agents. Each agent wears a hat, a role with its own instructions. Your task is to decide which hat works next, and to hand over to it.'
    : 'You are Ralph, an AI agent that works in a loop until an objective is met.'
}
