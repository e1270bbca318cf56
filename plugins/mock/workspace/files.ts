import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'

const MOST = 2000
const DEEPEST = 12
const SKIPPED = new Set(['node_modules', 'dist', 'build', 'target', 'vendor'])

/** Files below `root`, relative and sorted, at most 2000. Hidden ones, links, and folders of built or foreign code are left out. */
export function listFiles(root: string): readonly string[] {
  const found: string[] = []
  const visit = (folder: string, depth: number): void => {
    for (const entry of entriesOf(join(root, folder))) {
      if (found.length >= MOST) return
      if (entry.name.startsWith('.')) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) found.push(path)
      else if (entry.isDirectory() && depth < DEEPEST && !SKIPPED.has(entry.name)) visit(path, depth + 1)
    }
  }
  visit('', 0)
  return found.sort()
}

/** A folder that can't be read counts as empty. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
