import { attempt } from '../errors/attempt.ts'
import { parseJson } from '../json/parse-json.ts'
import { resolveReference } from './resolve-reference.ts'

export type Converted =
  | { readonly value: unknown }
  | { readonly problem: 'type'; readonly expected: string; readonly got: string }
  | { readonly problem: 'repeated' }

type JsonSchema = Readonly<Record<string, unknown>>

/** Limits nested references, since a schema can be circular. */
const maxDepth = 16

/** Converts a parameter's values to the type in its schema; only an array accepts several. */
export function convertArgument(
  values: readonly string[],
  property: unknown,
  root: JsonSchema,
  depth = 0,
): Converted {
  const schemas = alternativesOf(property, root)
  const array = schemas.find(({ type }) => type === 'array')
  if (values.length > 1)
    return array === undefined ? { problem: 'repeated' } : convertItems(values, array, root, depth)
  const [text = ''] = values
  // Any value is a valid string, so other types are tried only where a string is not allowed.
  if (schemas.length === 0 || schemas.some(({ type }) => type === 'string')) return { value: text }
  for (const { type, choices } of schemas) {
    const found =
      choices === undefined ? convertTo(type, text) : choices.find((choice) => String(choice) === text)
    if (found !== undefined) return { value: found }
  }
  if (array !== undefined && depth < maxDepth) return convertItems(values, array, root, depth)
  return { problem: 'type', expected: [...new Set(schemas.map(describe))].join(' or '), got: text }
}

interface Alternative {
  readonly type: string
  /** The values of an `enum` or a `const`. */
  readonly choices?: readonly unknown[]
  readonly items?: unknown
}

/** The types that a schema allows, flattened; empty if it allows any. */
function alternativesOf(schema: unknown, root: JsonSchema, depth = 0): Alternative[] {
  const { $ref, enum: choices, const: only, anyOf, oneOf, allOf, type, items } = Object(schema) as JsonSchema
  if (depth > maxDepth) return []
  if (typeof $ref === 'string') return alternativesOf(resolveReference($ref, root), root, depth + 1)
  if (Array.isArray(choices)) return alternativesOfEnum(choices)
  if (only !== undefined) return alternativesOfEnum([only])
  if (type !== undefined) return [type].flat().map((each) => ({ type: String(each), items }))
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return parts.flatMap((part) => alternativesOf(part, root, depth + 1))
}

/** A string outside an enum of strings is passed on, because validation then lists the allowed ones. */
function alternativesOfEnum(choices: readonly unknown[]): Alternative[] {
  return choices.every((choice) => typeof choice === 'string')
    ? [{ type: 'string' }]
    : [{ type: 'enum', choices }]
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
      return parseIf(text, '[')
    case 'object':
      return parseIf(text, '{')
    default:
      return undefined
  }
}

function parseIf(text: string, opening: string): unknown {
  if (!text.trimStart().startsWith(opening)) return undefined
  return attempt(() => parseJson(text), undefined)
}

function convertItems(
  values: readonly string[],
  { items }: Alternative,
  root: JsonSchema,
  depth: number,
): Converted {
  const converted = values.map((text) => convertArgument([text], items, root, depth + 1))
  const invalid = converted.find((result) => !('value' in result))
  return invalid ?? { value: converted.map((result) => ('value' in result ? result.value : undefined)) }
}

function describe({ type, choices }: Alternative): string {
  if (choices !== undefined) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`
  const articles: Readonly<Record<string, string>> = {
    integer: 'an integer',
    array: 'an array',
    object: 'an object',
    null: 'null',
  }
  return articles[type] ?? `a ${type}`
}
