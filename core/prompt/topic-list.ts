import type { TopicNote } from '../config/settings.ts'
import { isControl, isHuman } from '../control.ts'
import type { Hat } from '../hat.ts'
import { isConcrete, matches, type Pattern } from '../topic.ts'
import type { Topology } from '../topology.ts'
import type { Material } from './brief.ts'
import { oneLine } from './text.ts'

/** What a list of topics is drawn from. */
export interface TopicContext {
  readonly topology: Topology
  readonly completionPromise: string
  readonly material: Pick<Material, 'topicNotes' | 'control'>
}

/** One line a topic: the topic, who receives it and what that hat is for, and what the config says of the topic. */
export function renderTopics(patterns: readonly Pattern[], context: TopicContext): string {
  return withNoted(patterns, context.material.topicNotes)
    .map((pattern) => renderTopic(pattern, context))
    .join('\n')
}

/** A hat as a list names it: name, id and description. */
export function renderHat(hat: Hat): string {
  const name = oneLine(hat.name)
  const description = oneLine(hat.description)
  const known = description === '' || description === name
  return `${name} (\`${hat.id}\`)${known ? '' : `: ${description}`}`
}

/** The patterns without repetition, each followed by the topics that it covers and the config describes. */
function withNoted(
  patterns: readonly Pattern[],
  notes: Readonly<Record<string, TopicNote>>,
): readonly Pattern[] {
  const noted = Object.keys(notes)
  return [
    ...new Set(
      patterns.flatMap((pattern) =>
        isConcrete(pattern) ? [pattern] : [pattern, ...noted.filter((topic) => matches(pattern, topic))],
      ),
    ),
  ]
}

function renderTopic(pattern: Pattern, context: TopicContext): string {
  const note = context.material.topicNotes[pattern]
  return [
    `- \`${pattern}\` → ${destination(pattern, context)}`,
    ...indented(note?.description),
    ...indented(note?.onPublish),
  ].join('\n')
}

/** Text of the config under a list item, its lines kept. */
export function indented(text: string | undefined): readonly string[] {
  return text === undefined || text.trim() === '' ? [] : [text.trim().replace(/^/gm, '  ')]
}

function destination(pattern: Pattern, { topology, completionPromise, material }: TopicContext): string {
  if (pattern === completionPromise) return 'ends the run as completed'
  if (isHuman(pattern)) return 'a note for people; the run goes on'
  if (isControl(material.control, pattern)) return 'ends the run as cancelled'
  const named = (hats: readonly Hat[]): string => hats.map(renderHat).join('; ')
  const sameTrigger = topology.hats.filter((hat) => hat.triggers.includes(pattern))
  if (pattern === '*') return sameTrigger.length > 0 ? `any other topic: ${named(sameTrigger)}` : 'any topic'
  if (isConcrete(pattern)) return named(topology.reached(pattern)) || 'Ralph, the coordinator'
  const hats = topology.hats.filter(
    (hat) => sameTrigger.includes(hat) || topology.reached(pattern).includes(hat),
  )
  return named(hats) || 'the hat that waits for it, else Ralph, the coordinator'
}
