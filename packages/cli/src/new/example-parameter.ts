/** A parameter of an API file. */
export interface Parameter {
  readonly type: string
  readonly description?: string
  readonly required?: true
  readonly default?: unknown
  readonly items?: object
}

const maxExampleLength = 100

/** A description with an example for the model. */
export function exampleOf(value: unknown): string {
  const text = JSON.stringify(value)
  return `Example: ${text.length <= maxExampleLength ? text : `${text.slice(0, maxExampleLength)}...`}`
}

/** The JSON Schema type of a value. */
export function shapeOf(value: unknown): { type: string; items?: object } {
  if (!Array.isArray(value)) return { type: typeOf(value) }
  const types = new Set(value.map(typeOf))
  if (types.has('number')) types.delete('integer')
  const [first] = value as unknown[]
  if (types.size !== 1 || value.includes(null)) return { type: 'array', items: {} }
  return { type: 'array', items: Array.isArray(first) ? shapeOf(value.flat()) : { type: [...types][0]! } }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (Number.isInteger(value)) return 'integer'
  return value === null ? 'string' : typeof value
}
