/** Dotted routing key of an event, such as `review.done`. */
export type Topic = string

/** A topic in which `*` stands for one segment; a lone `*` matches every topic. */
export type Pattern = string

/** Why `text` is no topic (contract: 1–200 characters, no white space, no control character), or null if it is one. */
export function topicFault(text: string): string | null {
  if (text === '') return 'a topic must not be empty'
  if ([...text].length > 200) return 'a topic has at most 200 characters'
  if (/\s/u.test(text)) return 'a topic must not contain white space'
  if (/\p{Cc}/u.test(text)) return 'a topic must not contain control characters'
  return null
}

/** True for a pattern that names exactly one topic. */
export function isConcrete(pattern: Pattern): boolean {
  return !pattern.split('.').includes('*')
}

/** True if `pattern` matches `topic`, segment by segment. */
export function matches(pattern: Pattern, topic: Topic): boolean {
  if (pattern === '*' || pattern === topic) return true
  const wanted = pattern.split('.')
  const given = topic.split('.')
  return (
    wanted.length === given.length && wanted.every((segment, i) => segment === '*' || segment === given[i])
  )
}

/** True if any of `patterns` matches `topic`. */
export function matchesAny(patterns: readonly Pattern[], topic: Topic): boolean {
  return patterns.some((pattern) => matches(pattern, topic))
}
