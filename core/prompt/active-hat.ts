import type { Hat } from '../hat.ts'
import { isConcrete, matchesAny } from '../topic.ts'
import type { Material } from './brief.ts'
import { allTriggers, WHOLE_RESULT } from './coordinator.ts'
import { concreteForm, emitBlock } from './hand-over.ts'
import { oneLine, paragraphs, section } from './text.ts'
import { indented, renderTopics, type TopicContext } from './topic-list.ts'
import { renderWaveDispatch } from './wave-dispatch.ts'

/** One active hat: instructions, what its topics mean, where its results go, what it may not use. */
export function renderActiveHat(hat: Hat, context: TopicContext, material: Material): string {
  const dispatch = renderWaveDispatch(hat.publishes, context.topology, material)
  return section(
    `## ACTIVE HAT: ${oneLine(hat.name)} (\`${hat.id}\`)`,
    hat.instructions.trim() === ''
      ? `This hat has no instructions of its own. What it is for: ${oneLine(hat.description)}`
      : hat.instructions.trim(),
    renderArrivals(hat, context),
    renderPublishing(hat, context, material, dispatch !== ''),
    dispatch,
    renderRestrictions(hat.disallowedTools),
  )
}

/** True if the hat may end the run: its `publishes` cover the promise, or nothing restricts it. */
export function mayComplete(hat: Hat, completionPromise: string): boolean {
  return hat.publishes.length === 0 || matchesAny(hat.publishes, completionPromise)
}

/** `on_trigger` of the topics that this hat receives. */
function renderArrivals(hat: Hat, { topology, material }: TopicContext): string {
  const lines = Object.entries(material.topicNotes)
    .filter(
      ([topic, note]) =>
        note.onTrigger?.trim() && isConcrete(topic) && topology.receiver(topic)?.id === hat.id,
    )
    .flatMap(([topic, note]) => [
      `- On \`${topic}\`:`,
      ...indented(note.description),
      ...indented(note.onTrigger),
    ])
  return lines.length === 0 ? '' : ['### Topics that wake this hat', '', ...lines].join('\n')
}

function renderPublishing(hat: Hat, context: TopicContext, material: Material, waves: boolean): string {
  const topics = hat.publishes.length > 0 ? hat.publishes : allTriggers(context.topology)
  const onward = topics.find((topic) => topic !== context.completionPromise)
  return section(
    '### Publishing',
    `Emit one event for each finished piece of work${waves ? ', or a wave for several pieces at once (Wave Dispatch below)' : ''}. ${
      hat.publishes.length > 0
        ? 'These are the topics of this hat:'
        : 'This hat declares no topics. These are the ones that others wait for:'
    }`,
    renderTopics(topics, context),
    onward === undefined
      ? ''
      : emitBlock(concreteForm(onward), 'what the receiver must know', material.backend),
    mayComplete(hat, context.completionPromise)
      ? paragraphs(
          `\`${context.completionPromise}\` ends the run. Emit it only when the objective is met. ${WHOLE_RESULT}`,
          emitBlock(context.completionPromise, 'the whole result', material.backend),
        )
      : '',
  )
}

function renderRestrictions(tools: readonly string[]): string {
  if (tools.length === 0) return ''
  return section(
    '### TOOL RESTRICTIONS',
    `While you wear this hat, do not use these tools: ${tools.map((tool) => `\`${oneLine(tool)}\``).join(', ')}.`,
  )
}
