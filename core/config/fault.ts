import { type KeyPath, keyPlaceOf, type Place, placeOf, type Tree } from './tree.ts'

/** One thing that is wrong with the configuration, or worth a warning. */
export interface ConfigFault {
  /** Path as it was given, `builtin:<name>`, or the argument (`-c key=value`). */
  readonly file: string
  /** From 1; absent for arguments. */
  readonly line?: number
  readonly column?: number
  /** Dotted path of the key; empty if the fault belongs to no key. */
  readonly key: string
  readonly text: string
}

/** `<file>:<line>:<column>: <key path>: <text>`, without the parts that there are not. */
export function formatFault(fault: ConfigFault): string {
  const where = [fault.file, fault.line, fault.column].filter((part) => part !== undefined).join(':')
  return [where, fault.key, fault.text].filter((part) => part !== '').join(': ')
}

/** A fault at a known place. */
export function faultAt(place: Place, path: KeyPath | string, text: string): ConfigFault {
  return {
    file: place.origin.label,
    ...(place.line === undefined ? {} : { line: place.line }),
    ...(place.column === undefined ? {} : { column: place.column }),
    key: typeof path === 'string' ? path : keyText(path),
    text,
  }
}

/** A fault of the value at `path`. */
export function valueFault(tree: Tree, path: KeyPath, text: string): ConfigFault {
  return faultAt(placeOf(tree, path), path, text)
}

/** A fault of the key at `path`. */
export function keyFault(tree: Tree, path: KeyPath, text: string): ConfigFault {
  return faultAt(keyPlaceOf(tree, path), path, text)
}

/** `hats.a.publishes[0]` */
export function keyText(path: KeyPath): string {
  return path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('')
}
