import type { ModelAnswer, ModelRequest } from './model-server.ts'
import type { Program } from './programs/program.ts'

/** Three hats: one hands out, three at once review, one merges. */
export function collectionFor({ name, model }: Program): string {
  return `
event_loop:
  starting_event: review.start
  completion_promise: LOOP_COMPLETE
cli:
  backend: ${name}
  model: ${model}
hats:
  dispatcher:
    name: Dispatcher
    description: Hands out the files.
    triggers: [review.start]
    publishes: [review.file]
    instructions: PLAY-DISPATCHER. One item for each file.
  reviewer:
    name: Reviewer
    description: Reviews one file.
    triggers: [review.file]
    publishes: [review.done]
    concurrency: 3
    instructions: PLAY-REVIEWER. Review your file only.
  editor:
    name: Editor
    description: Merges the reviews.
    triggers: [review.done]
    publishes: [LOOP_COMPLETE]
    aggregate: { mode: wait_for_all }
    instructions: PLAY-EDITOR. Merge all reviews.
`
}

/** What is reviewed. */
export const FILES = ['file-alpha', 'file-beta', 'file-gamma'] as const

/** A review as a model writes it: a shell that reads it as a command would change it. */
export function reviewOf(file: string): string {
  return `found in ${file}: \`whoami\` and $(whoami), "quoted", it's "$HOME"`
}

/**
 * The model's part in each hat, told by the hat's instructions. Everything that counts goes through the program's own shell,
 * in the very form that the prompt shows.
 */
export async function play(request: ModelRequest, together: () => Promise<void>): Promise<ModelAnswer> {
  const { prompt, turn } = request
  if (turn === 0 && prompt.includes('PLAY-REVIEWER')) await together()
  return partOf(request)[turn] ?? { text: 'That is all.' }
}

/** What the hat does, one message after the other. */
function partOf(request: ModelRequest): readonly ModelAnswer[] {
  const { prompt } = request
  if (prompt.includes('PLAY-DISPATCHER'))
    return [
      { text: 'I hand out.', command: `env; ralph wave emit review.file --payloads ${FILES.join(' ')}` },
    ]
  if (prompt.includes('PLAY-REVIEWER')) return handOver(prompt, 'review.done', reviewOf(fileOf(request)))
  if (prompt.includes('PLAY-EDITOR'))
    return handOver(
      prompt,
      'LOOP_COMPLETE',
      FILES.filter((file) => prompt.includes(reviewOf(file)))
        .map(reviewOf)
        .join('\n'),
    )
  return []
}

/** Which file a reviewer was given. */
export function fileOf({ prompt }: ModelRequest): string {
  return FILES.find((file) => prompt.includes(file)) ?? 'no file'
}

/** Lets nobody go on before `count` have come: workers one after the other would wait for ever. */
export function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let come = 0
  return () => {
    come += 1
    if (come === count) resolve()
    return promise
  }
}

/** Emits `text` on `topic` as the prompt shows: the text in the command's heredoc, or in a file that the command names. */
export function handOver(prompt: string, topic: string, text: string): readonly ModelAnswer[] {
  const [, command, place] = new RegExp(`^(ralph emit ${topic} [^\n]*)\n(.*)$`, 'm').exec(prompt) ?? []
  if (command === undefined) throw new Error(`the prompt does not show how to emit ${topic}: ${prompt}`)
  if (command.endsWith("<<'RALPH_EOF'"))
    return [{ text: `I replace "${place}".`, command: `${command}\n${text}\nRALPH_EOF` }]
  const pattern = /--payload-file (\S*FILE)/.exec(command)?.[1] ?? 'FILE'
  const name = pattern.replace('FILE', `${Bun.hash(text).toString(36)}.md`)
  return [
    { text: 'I write it down.', file: { name, text } },
    { text: 'I hand it over.', command: command.replaceAll(pattern, name) },
  ]
}
