import type { Material } from './brief.ts'
import { block, emitBlock, emitRules } from './hand-over.ts'
import { section } from './text.ts'

/** How events are written. `completes`: this agent may end the run, with a payload that is no short one. */
export function renderEventWriting(backend: Material['backend'], completes: boolean): string {
  return section(
    '## EVENT WRITING',
    'An event is emitted with a shell command:',
    emitBlock('TOPIC', 'the payload', backend),
    [
      ...emitRules(backend),
      `Keep payloads short: what was done, what is open, and the paths of files that hold the rest.${completes ? ' The event that ends the run is the exception: it carries the whole result.' : ''}`,
      'Only the command emits. To write about an event in your answer has no effect.',
      'When you have emitted your last event, stop: end your turn, and let the receiver do its part.',
    ]
      .map((rule) => `- ${rule}`)
      .join('\n'),
    backend.output === 'text' ? renderTextForm() : '',
  )
}

function renderTextForm(): string {
  return [
    'If you cannot run commands, write events into your final message instead; they count only if you emitted none by command:',
    block('<event topic="TOPIC">the payload</event>'),
  ].join('\n')
}
