import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

/** A page of the documentation. */
export interface Page {
  /** Relative to the repository. */
  readonly path: string
  readonly text: string
}

/** A fenced block. */
export interface Block {
  readonly page: string
  /** Of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  /** All that stands behind the opening fence, its language included. */
  readonly info: string
  readonly text: string
}

/** Every page that people read: those of the root and those in docs/ and below. */
export function pages(): readonly Page[] {
  const below = ['docs', 'docs/backends'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  )
  const names = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...below].filter((name) =>
    name.endsWith('.md'),
  )
  return names.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export function page(path: string): Page {
  const found = pages().find((one) => one.path === path)
  if (found === undefined) throw new Error(`there is no page ${path}`)
  return found
}

export function blocks({ path, text }: Page): readonly Block[] {
  const found: Block[] = []
  let open: { fence: string; line: number; language: string; info: string; lines: string[] } | null = null
  text.split('\n').forEach((line, i) => {
    const [, fence, info = '', language = ''] = /^(`{3,})\s*((\w*).*?)\s*$/.exec(line) ?? []
    if (open === null) {
      if (fence !== undefined) open = { fence, line: i + 1, language, info, lines: [] }
    } else if (line === open.fence) {
      const { line, language, info, lines } = open
      found.push({ page: path, line, language, info, text: lines.join('\n') })
      open = null
    } else open.lines.push(line)
  })
  if (open !== null) throw new Error(`${path}: a block is not closed`)
  return found
}

/** The page without its fenced blocks. */
export function prose({ text }: Page): string {
  return text.replace(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
}
