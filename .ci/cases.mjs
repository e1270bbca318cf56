// Lists which tests prove which case of the contract: every test that does names it, `(case 42)`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Cases are numbered from 1. */
export const CASES = 198
/** Folders whose tests run the compiled binary. */
const BLACK_BOX = ['e2e', 'cli', 'presets', 'smoke']

/** Test files by case. */
export function findCases(root = 'tests') {
  const found = new Map()
  for (const folder of BLACK_BOX) {
    for (const name of readdirSync(join(root, folder), { recursive: true })) {
      if (!name.endsWith('.test.ts')) continue
      const path = join(folder, name)
      for (const number of casesIn(readFileSync(join(root, path), 'utf8'))) {
        found.set(number, [...new Set([...(found.get(number) ?? []), path])])
      }
    }
  }
  return found
}

/** `(case 42)`, `(cases 39, 40)`, `(cases 1–3)`. */
function casesIn(text) {
  return [...text.matchAll(/\bcases? (\d[\d, –and-]*)/g)].flatMap(([, list]) =>
    [...list.matchAll(/(\d+)(?:\s*[–-]\s*(\d+))?/g)].flatMap(([, from, to]) =>
      Array.from({ length: Number(to ?? from) - Number(from) + 1 }, (_, i) => Number(from) + i),
    ),
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const found = findCases()
  for (let number = 1; number <= CASES; number++) {
    console.log(`${String(number).padStart(3)}  ${(found.get(number) ?? ['—']).join(', ')}`)
  }
}
