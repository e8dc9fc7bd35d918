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
