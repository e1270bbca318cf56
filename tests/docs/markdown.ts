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
  readonly text: string
}

/** Every page that people read: those of the root and those in docs/. */
export function pages(): readonly Page[] {
  const names = [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
    ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
  ].filter((name) => name.endsWith('.md'))
  return names.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export function page(path: string): Page {
  const found = pages().find((one) => one.path === path)
  if (found === undefined) throw new Error(`there is no page ${path}`)
  return found
}

export function blocks({ path, text }: Page): readonly Block[] {
  const found: Block[] = []
  let open: { fence: string; line: number; language: string; lines: string[] } | null = null
  text.split('\n').forEach((line, i) => {
    const [, fence, language = ''] = /^(`{3,})\s*(\w*)/.exec(line) ?? []
    if (open === null) {
      if (fence !== undefined) open = { fence, line: i + 1, language, lines: [] }
    } else if (line === open.fence) {
      found.push({ page: path, line: open.line, language: open.language, text: open.lines.join('\n') })
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
