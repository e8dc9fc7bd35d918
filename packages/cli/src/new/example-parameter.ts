/** A parameter of an API file. */
export interface Parameter {
  readonly type: string
  readonly description?: string
  readonly required?: true
  readonly default?: unknown
  readonly items?: object
}

const longestExample = 100

/** A description that shows the model an example. */
export function exampleOf(value: unknown): string {
  const text = JSON.stringify(value)
  return `Example: ${text.length <= longestExample ? text : `${text.slice(0, longestExample)}...`}`
}

/** The type of a value. */
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
