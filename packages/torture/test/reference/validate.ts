type Schema = Readonly<Record<string, unknown>>

/** The part of JSON Schema that the suite uses. Returns what is wrong, and where. */
export function findProblem(value: unknown, schema: Schema, at: string): string | null {
  const { type, pattern, properties = {}, required = [], additionalProperties } = schema
  if (typeof type === 'string' && !isOfType(value, type))
    return `${at}: expected ${type}, got ${typeOf(value)}`
  if (typeof pattern === 'string' && typeof value === 'string' && !new RegExp(pattern, 'u').test(value))
    return `${at}: expected a string that matches ${pattern}`
  if (typeOf(value) !== 'object') return null
  const object = value as Readonly<Record<string, unknown>>
  const missing = (required as readonly string[]).find((key) => !Object.hasOwn(object, key))
  if (missing !== undefined) return `${at}: ${missing} is missing`
  for (const [key, one] of Object.entries(object)) {
    if (Object.hasOwn(properties as object, key)) {
      const problem = findProblem(one, (properties as Record<string, Schema>)[key]!, key)
      if (problem !== null) return problem
    } else if (additionalProperties === false) return `${at}: ${key} is unknown`
  }
  return null
}

function isOfType(value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
