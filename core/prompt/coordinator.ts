import { isConcrete, type Pattern } from '../topic.ts'
import type { Topology } from '../topology.ts'
import type { Material } from './brief.ts'
import { renderGraph } from './graph.ts'
import { emitBlock, type Shell } from './hand-over.ts'
import { cell, fence, paragraphs, section } from './text.ts'
import { renderTopics, type TopicContext } from './topic-list.ts'
import { renderWaveDispatch } from './wave-dispatch.ts'

/** How an iteration without an active hat goes about its task. */
export function renderWorkflow(withHats: boolean, scratchpad: boolean): string {
  const plan = scratchpad ? 'the scratchpad' : 'a note'
  const steps = withHats
    ? [
        'Read PENDING EVENTS: they say what has just been done, and why you were called.',
        'Compare what has been reached with the objective.',
        'If something is missing, choose the hat that brings the run forward and emit the topic that wakes it. Do not do the work of a hat yourself.',
        'If nothing is missing, end the run as DONE says.',
      ]
    : [
        `Read the objective and what earlier iterations left. If there is no plan yet, write one into ${plan}: small tasks, in order.`,
        'Choose the most important open task, and do it completely: no placeholders, no stubs.',
        'Check it: run the tests or whatever else shows that it holds.',
        `Record in ${plan} what is done and what is open.`,
        'If the objective is met, end the run as DONE says. If not, end your turn: another iteration follows.',
      ]
  return section('## WORKFLOW', steps.map((step, i) => `${i + 1}. ${step}`).join('\n'))
}

/** What the coordinator knows of the hats: table, graph, topics, Wave Dispatch. */
export function renderHats(context: TopicContext, material: Material): string {
  const { topology, completionPromise } = context
  const triggers = allTriggers(topology)
  return section(
    '## HATS',
    renderTable(topology),
    fence(renderGraph(topology, completionPromise)).replace('```', '```mermaid'),
    paragraphs(
      'You may emit these topics, one event for each piece of work that you hand over:',
      renderTopics(triggers, context),
    ),
    renderArrivals(context),
    renderWaveDispatch(triggers, topology, material),
  )
}

/** How to end the run. */
export function renderDone(
  completionPromise: string,
  objective: string,
  withHats: boolean,
  shell: Shell,
): string {
  return section(
    '## DONE',
    'The run ends when the objective below is met and you have checked that it is. Do not end it earlier.',
    paragraphs(
      `To end it, emit \`${completionPromise}\`. ${WHOLE_RESULT}`,
      emitBlock(completionPromise, 'the whole result', shell),
    ),
    withHats
      ? ''
      : `Or write the result as your final message, with \`${completionPromise}\` alone on its last line.`,
    'The objective once more:',
    fence(objective),
  )
}

/** What must be known of the payload of the completion promise. */
export const WHOLE_RESULT =
  "The payload of this event is the run's whole result: the user gets that text and nothing else, so it must hold all of the result, however long, and not a reference to it."

/** Every trigger of every hat, in config order. */
export function allTriggers(topology: Topology): readonly Pattern[] {
  return [...new Set(topology.hats.flatMap((hat) => hat.triggers))]
}

function renderTable(topology: Topology): string {
  const topics = (patterns: readonly Pattern[]): string =>
    patterns.map((pattern) => `\`${cell(pattern)}\``).join(', ') || '–'
  return [
    '| hat | wakes on | emits | what it does |',
    '|---|---|---|---|',
    '| Ralph, the coordinator (you) | topics that no hat receives | any topic | decides who works next, and when the run is done |',
    ...topology.hats.map(
      (hat) =>
        `| ${cell(hat.name)} (\`${hat.id}\`) | ${topics(hat.triggers)} | ${topics(hat.publishes)} | ${cell(hat.description)} |`,
    ),
  ].join('\n')
}

/** `on_trigger` of topics that no hat receives: they come to the coordinator. */
function renderArrivals({ topology, material }: TopicContext): string {
  return Object.entries(material.topicNotes)
    .filter(
      ([topic, note]) => note.onTrigger?.trim() && isConcrete(topic) && topology.receiver(topic) === null,
    )
    .map(([topic, note]) => `When \`${topic}\` arrives: ${note.onTrigger?.trim()}`)
    .join('\n')
}
