import { dirname, resolve } from 'node:path'
import { diagnose } from './diagnose.ts'
import type { Disk } from './disk.ts'
import { type Document, readDocument } from './document.ts'
import { keyFault } from './fault.ts'
import { ARGS_TWICE, completeHat, resolveAlias } from './hats.ts'
import { EMPTY_LAYER, type Layer, unreadable } from './layer.ts'
import { importedHat } from './schema/hats.ts'
import { at, keyPlaceOf, type Mapping, mappingAt, put } from './tree.ts'

/** Completes hats with `import` by the hat of that file; what a hat says itself wins, key by key. */
export async function importHats(layer: Layer, disk: Disk): Promise<Layer> {
  let { tree, complete } = layer
  const faults = [...layer.faults]
  const removed = [...layer.removed]
  for (const id of mappingAt(layer.tree, ['hats'])?.entries.keys() ?? []) {
    const hat = mappingAt(layer.tree, ['hats', id])
    const file = hat && at(hat, ['import'])
    if (hat === undefined || file?.kind !== 'scalar') continue
    const imported = await importHat({ id, file: String(file.value), tree: layer.tree, disk })
    faults.push(...imported.faults)
    complete &&= imported.complete
    removed.push(...imported.removed.map((path) => ['hats', id, ...path]))
    tree = put(tree, ['hats', id], completeHat(hat, imported.tree), keyPlaceOf(tree, ['hats', id]))
  }
  return { ...layer, tree, faults, removed, complete }
}

async function importHat(request: {
  readonly id: string
  readonly file: string
  readonly tree: Mapping
  readonly disk: Disk
}): Promise<Layer> {
  const { id, file, tree, disk } = request
  const key = ['hats', id, 'import']
  const { origin } = tree.place
  if (origin.path === null && origin.label.startsWith('builtin:')) {
    return unreadable([keyFault(tree, key, 'not allowed in a built-in hat collection')])
  }
  const path = resolve(origin.path === null ? disk.cwd : dirname(origin.path), file)
  const opened = await disk.open(path)
  if (!opened.ok) {
    const text = `hat "${id}" cannot import ${path}: ${opened.error.text}`
    return unreadable([keyFault(tree, key, text)])
  }
  return createHatLayer(readDocument(opened.value.text, { ...opened.value.origin, importedBy: origin }))
}

/** The one hat of an imported file. */
function createHatLayer(document: Document): Layer {
  if (document.tree === null) return unreadable(document.faults)
  const { faults, sound, removed } = diagnose(importedHat, document.tree)
  const all = [...document.faults, ...faults]
  const hat = resolveAlias(sound)
  if (hat !== 'twice') return { ...EMPTY_LAYER, tree: hat, faults: all, removed }
  return { ...EMPTY_LAYER, tree: sound, faults: [...all, keyFault(sound, ['args'], ARGS_TWICE)], removed }
}
