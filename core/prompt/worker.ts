import type { ReadBlob } from '../blob.ts'
import type { Material, WorkerBrief } from './brief.ts'
import { renderPublishing } from './publishing.ts'
import { oneLine, paragraphs, section } from './text.ts'
import { indented } from './topic-list.ts'

/**
 * The prompt of a wave worker (contract/waves §7.1). It knows its item, not the run: nothing of the run's aim,
 * files or settings stands here. The payload is the last thing in it.
 */
export function renderWorker(brief: WorkerBrief, material: Material, read: ReadBlob): string {
  const payload = read(brief.payload)
  const head = paragraphs(
    brief.hat.instructions.trim(),
    renderPublishing(brief, material),
    renderConstraints(brief, material),
    renderContext(brief, material),
    section(
      '## Your task',
      brief.scatter ? `Topic: \`${brief.topic}\`` : '',
      payload.trim() === ''
        ? 'Your item has no text: the instructions above say what to do.'
        : 'All that follows this line is your item, word for word.',
    ),
  )
  return `${head}\n\n${payload}`
}

function renderConstraints({ hat }: WorkerBrief, material: Material): string {
  const tools = hat.disallowedTools.map((tool) => `\`${oneLine(tool)}\``).join(', ')
  return section(
    '## Constraints',
    [
      'Work on your own item only. Other workers have the other items.',
      'Publish one result: its text is all that is passed on of your work, so it must stand on its own.',
      'Never run `ralph wave emit`. A worker cannot start a wave.',
      'You share the workspace with the other workers. Never run `git stash`, `git reset`, `git checkout`, `git switch`, `git clean`, `git rebase` or `git commit -a`, and leave files alone that are not part of your item.',
      ...(tools === '' ? [] : [`Do not use these tools: ${tools}.`]),
      ...(material.backend.advice ?? []),
      ...(material.guardrailsAreSet ? material.guardrails : []),
    ]
      .map((rule) => `- ${rule.trim().replaceAll('\n', '\n  ')}`)
      .join('\n'),
  )
}

function renderContext(brief: WorkerBrief, material: Material): string {
  return section(
    '## Wave context',
    `You are worker ${brief.index + 1} of ${brief.total} in wave ${brief.wave}. Work on your own item only. Your time limit is ${brief.timeoutSeconds} seconds; publish before it runs out.`,
    indented(material.topicNotes[brief.topic]?.onTrigger).join('\n').trim(),
  )
}
