import { unreachable } from '../result.ts'
import type { Field, JsonSchema } from './schema/field.ts'
import { configSchema } from './schema.ts'

/** JSON Schema (2020-12) of `ralph.yml`, for editors. Rules across keys are not in it. */
export function createJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'ralph.yml',
    ...describe(configSchema),
  }
}

function describe({ shape }: Field): JsonSchema {
  switch (shape.kind) {
    case 'value':
      return shape.json
    case 'list':
      return { type: 'array', items: describe(shape.item) }
    case 'section':
      return { type: 'object', properties: properties(shape.entries), additionalProperties: false }
    case 'named':
      return {
        type: 'object',
        ...(shape.name.pattern === undefined ? {} : { propertyNames: shape.name }),
        additionalProperties: orNothing(describe(shape.value)),
      }
    case 'either':
      return { anyOf: [describe(shape.short), describe(shape.section)] }
    case 'inert':
      return { deprecated: true }
    case 'refused':
      return { not: {} }
    default:
      return unreachable(shape)
  }
}

function properties(entries: Readonly<Record<string, Field>>): JsonSchema {
  const known = Object.entries(entries).filter(([, { shape }]) => shape.kind !== 'refused')
  return Object.fromEntries(known.map(([key, field]) => [key, orNothing(describe(field))]))
}

/** A key set to nothing counts as not set. */
function orNothing(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] }
  if (Array.isArray(schema.enum)) return { enum: [...schema.enum, null] }
  return Array.isArray(schema.anyOf) ? { anyOf: [...schema.anyOf, { type: 'null' }] } : schema
}
