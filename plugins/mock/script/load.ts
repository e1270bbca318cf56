import * as v from 'valibot'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { type Script, scriptSchema } from './schema.ts'

/** A script, or everything that is wrong with it: one `file:line:column: path: text` a problem. */
export type Loaded =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Checks the text of a script.
 * `file` is only for messages; `actors` are the names that the run knows, or null if any name may stand there.
 */
export function parseScript(file: string, text: string, actors: readonly string[] | null): Loaded {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  if (document.errors.length > 0)
    return {
      ok: false,
      problems: document.errors.map((error) => `${at(error.pos[0])}: ${firstLine(error.message)}`),
    }

  const root = document.contents
  const parsed = v.safeParse(scriptSchema, document.toJS())
  if (!parsed.success)
    return {
      ok: false,
      problems: parsed.issues.map((issue) => {
        const path = (issue.path ?? []).map((item) => String(item.key))
        return `${at(offsetOf(root, path))}: ${path.length === 0 ? '' : `${path.join('.')}: `}${issue.message}`
      }),
    }

  const strangers =
    actors === null ? [] : Object.keys(parsed.output.hats).filter((name) => !actors.includes(name))
  if (strangers.length > 0)
    return {
      ok: false,
      problems: strangers.map(
        (name) =>
          `${at(offsetOf(root, ['hats', name]))}: hats.${name}: no hat of this run has this name; there are ${actors?.join(', ')}`,
      ),
    }
  return { ok: true, script: parsed.output }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** Where the value at `path` stands, or its key where that is what is wrong; as near as the document goes. */
function offsetOf(root: Node | null, path: readonly string[]): number {
  let node: unknown = root
  let offset = root?.range?.[0] ?? 0
  for (const key of path) {
    let next: unknown
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      if (!pair) return offset
      offset = rangeOf(pair.key) ?? offset
      next = pair.value
    } else if (isSeq(node)) {
      next = node.items[Number(key)]
      offset = rangeOf(next) ?? offset
    }
    node = next
  }
  return offset
}

function rangeOf(node: unknown): number | undefined {
  return typeof node === 'object' && node !== null && 'range' in node
    ? ((node as Node).range?.[0] ?? undefined)
    : undefined
}
