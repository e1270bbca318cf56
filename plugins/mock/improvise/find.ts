/** Files among `files` that a text names: by path, file name, folder or glob. In the order of the text. */
export function namedFiles(text: string, files: readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const token of tokensOf(text)) for (const file of filesOfToken(token, files)) found.add(file)
  return [...found]
}

/**
 * Files that a text only implies: those whose path contains one of its words ("the storage module").
 * The word that fits fewest files counts; a word that fits more than half of them says nothing.
 */
export function impliedFiles(text: string, files: readonly string[]): readonly string[] {
  let best: readonly string[] = []
  for (const word of wordsOf(text)) {
    const hits = files.filter((file) => file.toLowerCase().includes(word))
    const tellsSomething = hits.length > 0 && (hits.length * 2 <= files.length || files.length <= 3)
    if (tellsSomething && (best.length === 0 || hits.length < best.length)) best = hits
  }
  return best
}

function tokensOf(text: string): readonly string[] {
  return text
    .split(/[\s"'`()<>[\]{},;|]+/)
    .map((token) => token.replace(/[.:!?]+$/, '').replace(/:\d+(:\d+)?$/, ''))
    .filter((token) => token !== '')
}

function filesOfToken(token: string, files: readonly string[]): readonly string[] {
  const path = token.replace(/^(\.\/)+/, '')
  const exact = files.filter((file) => file === path || (path.startsWith('/') && path.endsWith(`/${file}`)))
  if (exact.length > 0) return exact
  if (path.includes('*')) {
    if (!/[./]/.test(path)) return []
    const glob = new Bun.Glob(path)
    return files.filter((file) => glob.match(file))
  }
  if (path.includes('/')) {
    const folder = path.endsWith('/') ? path : `${path}/`
    return files.filter((file) => file.startsWith(folder))
  }
  return path.includes('.') ? files.filter((file) => file.endsWith(`/${path}`)) : []
}

/** Words that say what to do or are in every task; a file is hardly meant by them. */
const COMMON = new Set(
  (
    'about after again also author before between check code could each every everything file files find first ' +
    'from have help into last like line lines long look make mark marks more most over part parts path please ' +
    'project report review should some task than that their them then there these they this those through ' +
    'what when where which while with without work workspace would write your'
  ).split(' '),
)

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_-]{4,}/gu) ?? []
  return [...new Set(words)].filter((word) => !COMMON.has(word)).slice(0, 100)
}
