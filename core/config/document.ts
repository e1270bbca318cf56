import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLError } from 'yaml'
import { type ConfigFault, faultAt } from './fault.ts'
import { type Entry, type Mapping, mapping, type Origin, type Place, scalar, type Tree } from './tree.ts'

/** Values of one document after its aliases are expanded; more is taken for an attack. */
const MAX_VALUES = 100_000

/** A text that was read, with what is wrong with it as YAML. */
export interface Document {
  /** Null if the text cannot be read as a mapping. */
  readonly tree: Mapping | null
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly ConfigFault[]
}

/** Reads a YAML text whose root must be a mapping; an empty text is an empty mapping. */
export function readDocument(text: string, origin: Origin): Document {
  const { value, faults, warnings } = readYaml(text, origin, true)
  if (value === null) return { tree: null, faults, warnings }
  if (value.kind === 'mapping') return { tree: value, faults, warnings }
  if (value.kind === 'scalar' && value.value === null) return { tree: mapping(value.place), faults, warnings }
  return { tree: null, faults: [...faults, faultAt(value.place, '', 'the root must be a mapping')], warnings }
}

/** Reads one value of the command line as YAML: `5`, `true`, `[a, b]`, plain text. */
export function readValue(
  text: string,
  origin: Origin,
): { readonly value: Tree | null; readonly faults: readonly ConfigFault[] } {
  return readYaml(text, origin, false)
}

interface Reading {
  /** Null if it is no YAML. */
  readonly value: Tree | null
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly ConfigFault[]
}

function readYaml(text: string, origin: Origin, withLines: boolean): Reading {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const place = (offset: number | undefined): Place => {
    if (!withLines) return { origin }
    const { line, col } = lines.linePos(offset ?? 0)
    // An empty text has no line yet.
    return { origin, line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const say = ({ pos, message }: Pick<YAMLError, 'pos' | 'message'>) => faultAt(place(pos[0]), '', message)
  const faults = plainErrors(text, document.errors).map(say)
  const warnings = document.warnings.map(say)
  // A key given twice leaves the rest readable: its other faults are shown in the same go.
  if (document.errors.some((error) => error.code !== 'DUPLICATE_KEY'))
    return { value: null, faults, warnings }

  const read = toTree(document.contents, place)
  return { value: read.tree, faults: [...faults, ...read.faults], warnings }
}

/** The parser's words, where they say what a person has to look for. One tab makes many errors further down. */
function plainErrors(
  text: string,
  errors: readonly YAMLError[],
): readonly Pick<YAMLError, 'pos' | 'message'>[] {
  const tab = errors.map(({ pos }) => tabAt(text, pos[0])).find((offset) => offset !== null)
  if (tab != null) {
    return [{ pos: [tab, tab], message: 'this line is indented by a tab: YAML takes only spaces' }]
  }
  return errors.map(({ pos, message, code }) => {
    const key =
      code === 'DUPLICATE_KEY' ? /^[^\s:{},[\]][^:\n]*/.exec(text.slice(pos[0]))?.[0].trim() : undefined
    return { pos, message: key === undefined ? message : `${key}: this key stands here a second time` }
  })
}

/** Offset of a tab in the indentation of the line at `offset`. */
function tabAt(text: string, offset: number): number | null {
  const begin = text.lastIndexOf('\n', offset - 1) + 1
  const indentation = /^ *\t/.exec(text.slice(begin))
  return indentation === null ? null : begin + indentation[0].length - 1
}

function toTree(
  root: Node | null,
  place: (offset: number | undefined) => Place,
): { readonly tree: Tree | null; readonly faults: readonly ConfigFault[] } {
  const faults: ConfigFault[] = []
  const anchors = new Map<string, Node>()
  const open = new Set<Node>()
  let left = MAX_VALUES

  const convert = (node: Node, fallback: Place): Tree => {
    const here = node.range ? place(node.range[0]) : fallback
    if (--left < 0) return scalar(null, here)
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target && !open.has(target)) return convert(target, here)
      faults.push(
        faultAt(here, '', `the alias *${node.source} ${target ? 'contains itself' : 'has no anchor'}`),
      )
      return scalar(null, here)
    }
    if ('anchor' in node && node.anchor) anchors.set(node.anchor, node)
    open.add(node)
    const tree = convertContent(node, here)
    open.delete(node)
    return tree
  }

  const convertContent = (node: Node, here: Place): Tree => {
    if (isSeq<Node>(node)) {
      return { kind: 'list', place: here, items: node.items.map((item) => convert(item, here)) }
    }
    if (!isMap<Node, Node | null>(node)) return scalar(isScalar(node) ? node.value : null, here)
    const entries: [string, Entry][] = []
    for (const pair of node.items) {
      const key = convert(pair.key, here)
      if (key.kind !== 'scalar') {
        faults.push(faultAt(key.place, '', 'a key must be a plain text'))
        continue
      }
      const value = pair.value ? convert(pair.value, key.place) : scalar(null, key.place)
      entries.push([keyOf(pair.key, key.value), { key: key.place, value }])
    }
    return mapping(here, entries)
  }

  const tree = root ? convert(root, place(0)) : scalar(null, place(0))
  if (left >= 0) return { tree, faults }
  return { tree: null, faults: [faultAt(place(0), '', `more than ${MAX_VALUES} values`)] }
}

/** A key as it was written: `1.0` and `01` are two hats. */
function keyOf(node: Node, value: unknown): string {
  return typeof value !== 'string' && isScalar(node) && node.source ? node.source : String(value)
}
