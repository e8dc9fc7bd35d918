import { parseJson } from '@curfew/core/internal'

export type Converted =
  | { readonly value: unknown }
  | { readonly problem: 'type'; readonly expected: string; readonly got: string }
  | { readonly problem: 'twice' }

type JsonSchema = Readonly<Record<string, unknown>>

/** References that lead to references; a schema may go round in circles. */
const maxDepth = 16

/** What strings on a command line mean for a parameter: of several, only an array takes more than the first. */
export function convertArgument(
  texts: readonly string[],
  property: unknown,
  root: JsonSchema,
  depth = 0,
): Converted {
  const schemas = alternatives(property, root)
  const array = schemas.find(({ type }) => type === 'array')
  if (texts.length > 1) return array === undefined ? { problem: 'twice' } : eachOf(texts, array, root, depth)
  const [text = ''] = texts
  // A string may be anything, so the others are tried first only where a string is not allowed.
  if (schemas.length === 0 || schemas.some(({ type }) => type === 'string')) return { value: text }
  for (const { type, values } of schemas) {
    const found =
      values === undefined ? convertTo(type, text) : values.find((value) => String(value) === text)
    if (found !== undefined) return { value: found }
  }
  if (array !== undefined && depth < maxDepth) return eachOf(texts, array, root, depth)
  return { problem: 'type', expected: [...new Set(schemas.map(describe))].join(' or '), got: text }
}

interface Alternative {
  readonly type: string
  /** Of an `enum` or a `const`. */
  readonly values?: readonly unknown[]
  readonly items?: unknown
}

/** What a schema allows, flattened; nothing if it allows anything. */
function alternatives(schema: unknown, root: JsonSchema, depth = 0): Alternative[] {
  const { $ref, enum: choices, const: only, anyOf, oneOf, allOf, type, items } = Object(schema) as JsonSchema
  if (depth > maxDepth) return []
  if (typeof $ref === 'string') return alternatives(resolve($ref, root), root, depth + 1)
  if (Array.isArray(choices)) return choicesOf(choices)
  if (only !== undefined) return choicesOf([only])
  if (type !== undefined) return [type].flat().map((each) => ({ type: String(each), items }))
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return parts.flatMap((part) => alternatives(part, root, depth + 1))
}

/** A string that is not among strings is passed on: the tool says which there are. */
function choicesOf(values: readonly unknown[]): Alternative[] {
  return values.every((value) => typeof value === 'string')
    ? [{ type: 'string' }]
    : [{ type: 'enum', values }]
}

function resolve(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#/')) return undefined
  const keys = reference
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  return keys.reduce<unknown>(
    (value, key) => (Object.hasOwn(Object(value), key) ? Object(value)[key] : undefined),
    root,
  )
}

function convertTo(type: string, text: string): unknown {
  switch (type) {
    case 'integer':
    case 'number': {
      if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return undefined
      const number = Number(text)
      return type === 'number' || Number.isInteger(number) ? number : undefined
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'null':
      return text === 'null' ? null : undefined
    case 'array':
      return parsed(text, '[')
    case 'object':
      return parsed(text, '{')
    default:
      return undefined
  }
}

function parsed(text: string, opening: string): unknown {
  if (!text.trimStart().startsWith(opening)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function eachOf(
  texts: readonly string[],
  { items }: Alternative,
  root: JsonSchema,
  depth: number,
): Converted {
  const converted = texts.map((text) => convertArgument([text], items, root, depth + 1))
  const wrong = converted.find((result) => !('value' in result))
  return wrong ?? { value: converted.map((result) => ('value' in result ? result.value : undefined)) }
}

function describe({ type, values }: Alternative): string {
  if (values !== undefined) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  const articles: Readonly<Record<string, string>> = {
    integer: 'an integer',
    array: 'an array',
    object: 'an object',
    null: 'null',
  }
  return articles[type] ?? `a ${type}`
}
