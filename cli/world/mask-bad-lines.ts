import { type BadLine, EXCERPT } from '../../core/event.ts'
import type { Secrets } from '../../core/secrets.ts'

/** A line that is no event is no result either: it is only shown, and so without secrets. */
export function maskBadLines(bad: readonly BadLine[], secrets: Secrets): readonly BadLine[] {
  return bad.map((line) => {
    const isWhole = [...line.excerpt].length < EXCERPT
    return { ...line, excerpt: isWhole ? secrets.text(line.excerpt) : secrets.cut(line.excerpt) }
  })
}
