/** A JSON object of unknown shape. It is read field by field; what is missing or of another type reads as undefined or empty. */
export type Fields = Readonly<Record<string, unknown>>

/** The objects of one line of output: one, several if they stand in a list, none if it is no JSON. */
export function parseRecords(line: string): readonly Fields[] {
  if (!/^\s*[{[]/.test(line)) return []
  try {
    // A mark of the byte order is white space here, and to the parser it is not.
    const parsed: unknown = JSON.parse(line.trim())
    return Array.isArray(parsed) ? parsed.filter(isFields) : isFields(parsed) ? [parsed] : []
  } catch {
    return []
  }
}

export function textOf(fields: Fields, key: string): string | undefined {
  const value = fields[key]
  return typeof value === 'string' ? value : undefined
}

export function numberOf(fields: Fields, key: string): number | undefined {
  const value = fields[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function fieldsOf(fields: Fields, key: string): Fields {
  const value = fields[key]
  return isFields(value) ? value : {}
}

/** The objects of a list. */
export function listOf(fields: Fields, key: string): readonly Fields[] {
  const value = fields[key]
  return Array.isArray(value) ? value.filter(isFields) : []
}

/** The strings of a list. */
export function textsOf(fields: Fields, key: string): readonly string[] {
  const value = fields[key]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
