import { isControlPattern } from '../control.ts'
import type { Hat } from '../hat.ts'
import { finalMessageTopic } from '../wave/guard.ts'
import type { Material } from './brief.ts'
import { block, concreteForm, emitBlock, emitRules } from './hand-over.ts'
import { paragraphs, section } from './text.ts'
import { indented } from './topic-list.ts'

/** How a worker of `hat` hands its result over, topic by topic; nothing if it has none. */
export function renderPublishing({ hat }: { readonly hat: Hat }, material: Material): string {
  const topics = [...new Set(hat.publishes)].filter((topic) => !isControlPattern(material.control, topic))
  if (topics.length === 0) return ''
  const byMessage = finalMessageTopic(hat, material.control)
  return section(
    '## Publishing results',
    topics.length === 1
      ? 'When your work is finished, publish its result with this command:'
      : 'When your work is finished, publish its result on the topic that fits:',
    ...topics.map((topic) => {
      const note = material.topicNotes[topic]
      return paragraphs(
        [
          ...(topics.length > 1 || note ? [`\`${topic}\``] : []),
          ...indented(note?.description),
          ...indented(note?.onPublish),
        ].join('\n'),
        emitBlock(concreteForm(topic), 'your whole result', material.backend),
      )
    }),
    emitRules(material.backend)
      .map((rule) => `- ${rule}`)
      .join('\n'),
    byMessage === null
      ? 'What you only write in your final message is not seen by anyone.'
      : 'If you publish nothing, your final message is taken as your result.',
    material.backend.output === 'text'
      ? paragraphs(
          'If you cannot run commands, write the result into your final message like this:',
          block(`<event topic="${concreteForm(topics[0] ?? '')}">your whole result</event>`),
        )
      : '',
  )
}
