/** A schema as it is written: anything may stand in it. */
export type Schema = { readonly [keyword: string]: unknown }

const mostSteps = 8
const longestReference = 1_000

export function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is no object becomes an empty one. */
export function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : nothing
}

const nothing: Schema = Object.freeze({})

/** What an object itself says, whatever its prototype has. Lists have no keywords. */
export function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Schema)[key]
    : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The types that a schema declares. */
export function typesOf(schema: Schema): string[] {
  const type = own(schema, 'type')
  return (Array.isArray(type) ? type.slice(0, 10) : [type]).filter((name) => typeof name === 'string')
}

export function isObjectSchema(schema: Schema): boolean {
  return (
    typesOf(schema).includes('object') ||
    (own(schema, 'type') === undefined && own(schema, 'properties') !== undefined)
  )
}

/** What a local `$ref` points to, a few steps far: it may well lead in a circle. */
export function resolveReference(root: unknown, schema: Schema): Schema {
  let current = schema
  for (let step = 0; step < mostSteps; step++) {
    const reference = own(current, '$ref')
    if (typeof reference !== 'string' || !reference.startsWith('#/') || reference.length > longestReference)
      break
    let target = root
    for (const key of reference.slice(2).split('/')) {
      target = Array.isArray(target) ? target[Number(key)] : own(target, unescapeKey(key))
    }
    current = asSchema(target)
  }
  return current
}

export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}
