/** A schema as received: any keyword may have any value. */
export type Schema = { readonly [keyword: string]: unknown }

const maxReferenceSteps = 8
const maxReferenceLength = 1_000

export function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Anything but an object becomes an empty schema. */
export function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : emptySchema
}

const emptySchema: Schema = Object.freeze({})

/** An own property; inherited ones such as `toString` are ignored. */
export function ownValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Schema)[key]
    : undefined
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The declared types of a schema. */
export function typesOf(schema: Schema): string[] {
  const type = ownValue(schema, 'type')
  return (Array.isArray(type) ? type.slice(0, 10) : [type]).filter((name) => typeof name === 'string')
}

export function isObjectSchema(schema: Schema): boolean {
  return (
    typesOf(schema).includes('object') ||
    (ownValue(schema, 'type') === undefined && ownValue(schema, 'properties') !== undefined)
  )
}

/** Follows a local `$ref` for a bounded number of steps, as it may be circular. */
export function resolveReference(root: unknown, schema: Schema): Schema {
  let current = schema
  for (let step = 0; step < maxReferenceSteps; step++) {
    const reference = ownValue(current, '$ref')
    if (typeof reference !== 'string' || !reference.startsWith('#/') || reference.length > maxReferenceLength)
      break
    current = asSchema(followReference(root, reference))
  }
  return current
}

/** The value that a local reference such as `#/$defs/page` points to. */
export function followReference(root: unknown, reference: string): unknown {
  if (reference.length > maxReferenceLength) return undefined
  let target = root
  for (const key of reference.slice(2).split('/')) {
    target = Array.isArray(target)
      ? target[Number(key)]
      : ownValue(target, key.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return target
}

export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** JSON Schema's name for the type of a value. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value
}

export function isOfType(value: unknown, types: readonly string[]): boolean {
  const type = jsonType(value)
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}
