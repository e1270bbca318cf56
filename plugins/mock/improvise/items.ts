import type { WaveItem } from '../step.ts'
import { impliedFiles, namedFiles } from './find.ts'
import type { Lane } from './routes.ts'

/** Items for parallel hats in one wave, as a rule. */
const MOST = 12
/** File names in one payload, at most. */
const NAMES = 6

/**
 * What a dispatcher hands out: parts of the objective for hats that work in parallel, the whole for every other hat.
 * Every topic of every lane gets at least one item.
 */
export function itemsOf(
  lanes: readonly Lane[],
  objective: string,
  files: readonly string[],
): readonly WaveItem[] {
  return lanes.flatMap(({ hat, topics }): readonly WaveItem[] => {
    if (hat.concurrency === 1) return topics.map((topic) => ({ topic, payload: objective.slice(0, 4000) }))
    const most = Math.max(3, Math.min(hat.concurrency, Math.floor(MOST / lanes.length)))
    const parts = partsOf(objective, files, most)
    return Array.from({ length: Math.max(parts.length, topics.length) }, (_, i) => ({
      topic: topics[i % topics.length] ?? '',
      payload: parts[i % parts.length] ?? '',
    }))
  })
}

/**
 * Splits an objective into at most `most` payloads: the files it names, else its list or lines, else the files it implies,
 * else all files of the workspace, else three generic parts. At least three.
 */
export function partsOf(objective: string, files: readonly string[], most: number): readonly string[] {
  const named = namedFiles(objective, files)
  if (named.length > 0) return fileParts(named, most)
  const lines = listOf(objective)
  if (lines.length > 1) return atLeastThree(chunks(lines, most).map((chunk) => chunk.join('\n')))
  const implied = impliedFiles(objective, files)
  if (implied.length > 0) return fileParts(implied, most)
  if (files.length > 0) return fileParts(files, most)
  return ['Part 1 of 3: what is wanted', 'Part 2 of 3: what is there', 'Part 3 of 3: what is missing']
}

function fileParts(files: readonly string[], most: number): readonly string[] {
  const [only] = files
  if (files.length === 1 && only !== undefined)
    return [`${only}: its size`, `${only}: its open marks`, `${only}: its last change`]
  return atLeastThree(
    chunks(files, most).map((chunk) => {
      const more = chunk.length > NAMES ? ` and ${chunk.length - NAMES} more` : ''
      return `${chunk.slice(0, NAMES).join(', ')}${more}`
    }),
  )
}

function atLeastThree(parts: readonly string[]): readonly string[] {
  return parts.length === 2 ? [...parts, 'How the parts before fit together'] : parts
}

/** Bullets or numbered lines if there are two; else all lines of a text of three or more. */
function listOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const bullets = lines.flatMap((line) => /^(?:[-*+]|\d+[.)])\s+(.+)$/.exec(line)?.[1] ?? [])
  if (bullets.length > 1) return bullets
  const plain = lines.filter((line) => line !== '')
  return plain.length > 2 ? plain : []
}

/** At most `most` runs of neighbours, as even as can be. */
function chunks<T>(list: readonly T[], most: number): readonly (readonly T[])[] {
  const count = Math.min(most, list.length)
  return Array.from({ length: count }, (_, i) =>
    list.slice(Math.floor((i * list.length) / count), Math.floor(((i + 1) * list.length) / count)),
  )
}
