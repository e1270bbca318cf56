import { delimiter, isAbsolute } from 'node:path'

/**
 * What to start for a name: a path as it is, else what PATH has for it. A relative folder on PATH, or an empty one, would be
 * looked for in the workspace, where anybody may have put a program. The name itself where no folder has it, so that the
 * runtime says so; null where only such folders could. Programs that start in one turn of ours are looked up once.
 */
export function lookUpProgram(name: string, path: string): string | null {
  if (name.includes('/')) return name
  if (found.size === 0) queueMicrotask(() => found.clear())
  const asked = `${name}\0${path}`
  const known = found.get(asked)
  if (known !== undefined) return known
  const program = lookUp(name, path)
  found.set(asked, program)
  return program
}

const found = new Map<string, string | null>()

function lookUp(name: string, path: string): string | null {
  const folders = path.split(delimiter)
  const absolute = folders.filter(isAbsolute)
  const program = Bun.which(name, { PATH: absolute.join(delimiter) })
  return program ?? (absolute.length === folders.length ? name : null)
}
