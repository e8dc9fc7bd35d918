import { isPlainAscii } from '../../language/strip-hidden.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { escapeKey, ownValue } from '../../schema/schema.ts'
import { parametersOf, type Subschema, walkSchema } from '../../schema/walk-schema.ts'
import { subschemaLabel } from './subschema-label.ts'

/** A string of a definition that a model reads. */
export interface VisibleString {
  readonly pointer: string
  /** For messages: `the description`, `the name of "city"`. */
  readonly what: string
  readonly text: string
  /** `value`: titles, enum values, defaults and the like. */
  readonly kind:
    | 'name'
    | 'description'
    | 'parameter-name'
    | 'parameter-description'
    | 'subschema-description'
    | 'value'
}

/** Longer strings are not fixed automatically. */
export const maxFixableLength = 20_000

const valueKeywords = ['title', 'default', 'const', 'pattern', '$comment']
const listKeywords = ['enum', 'examples']
const cache = new WeakMap<ReviewedTool, readonly VisibleString[]>()

/** Strings with any character outside of printable ASCII; most definitions have none. */
export function nonAsciiStrings(tool: ReviewedTool): readonly VisibleString[] {
  let strings = cache.get(tool)
  if (strings === undefined) {
    strings = [...namesAndDescriptions(tool), ...values(tool)]
    cache.set(tool, strings)
  }
  return strings
}

/** Descriptions in ASCII, which may still be in another language. */
export function asciiDescriptions(tool: ReviewedTool): VisibleString[] {
  const strings: VisibleString[] = []
  const { description } = tool
  if (description !== undefined && isPlainAscii(description)) strings.push(descriptionOf(description))
  for (const subschema of parametersOf(tool)) {
    const text = ownValue(subschema.schema, 'description')
    if (typeof text === 'string' && isPlainAscii(text)) strings.push(parameterDescriptionOf(subschema, text))
  }
  return strings
}

function* namesAndDescriptions(tool: ReviewedTool): Generator<VisibleString> {
  const { name: text, description } = tool
  if (!isPlainAscii(text)) yield { pointer: '/name', what: 'the name', text, kind: 'name' }
  if (description !== undefined && !isPlainAscii(description)) yield descriptionOf(description)
  for (const subschema of parametersOf(tool)) {
    const { pointer, name } = subschema
    if (!isPlainAscii(name)) {
      const what = `the name of parameter "${name}"`
      yield { pointer, what, text: name, kind: 'parameter-name' }
    }
    const text = ownValue(subschema.schema, 'description')
    if (typeof text === 'string' && !isPlainAscii(text)) yield parameterDescriptionOf(subschema, text)
  }
}

/** Other strings that can carry hidden characters. */
function* values(tool: ReviewedTool): Generator<VisibleString> {
  yield* value('/title', 'the title', tool.title)
  yield* value('/usage', 'the usage', tool.usage)
  for (const subschema of walkSchema(tool).subschemas) {
    const { kind, pointer, schema } = subschema
    for (const keyword in schema) {
      const found = schema[keyword]
      if (typeof found === 'string') {
        const isDescription = keyword === 'description' && kind !== 'property'
        if (!(isDescription || valueKeywords.includes(keyword))) continue
        yield* value(
          `${pointer}/${keyword}`,
          labelOf(subschema, keyword),
          found,
          isDescription ? 'subschema-description' : 'value',
        )
      } else if (listKeywords.includes(keyword) && Array.isArray(found)) {
        for (const [index, text] of found.slice(0, 1_000).entries()) {
          yield* value(`${pointer}/${keyword}/${index}`, labelOf(subschema, keyword), text)
        }
      } else if (keyword === '$defs' && typeof found === 'object' && found !== null) {
        for (const key of Object.keys(found).slice(0, 1_000)) {
          yield* value(`${pointer}/$defs/${escapeKey(key)}`, 'the name of a definition', key)
        }
      }
    }
  }
}

function labelOf(subschema: Subschema, keyword: string): string {
  return `the ${keyword} of ${subschemaLabel(subschema)}`
}

function* value(
  pointer: string,
  what: string,
  text: unknown,
  kind: VisibleString['kind'] = 'value',
): Generator<VisibleString> {
  if (typeof text === 'string' && !isPlainAscii(text)) yield { pointer, what, text, kind }
}

function descriptionOf(text: string): VisibleString {
  return { pointer: '/description', what: 'the description', text, kind: 'description' }
}

function parameterDescriptionOf({ pointer, name }: Subschema, text: string): VisibleString {
  const what = `the description of "${name}"`
  return { pointer: `${pointer}/description`, what, text, kind: 'parameter-description' }
}

/** Only descriptions: changing a name would break its callers. */
export function isFixable({ kind, text }: VisibleString): boolean {
  return (kind === 'description' || kind === 'parameter-description') && text.length <= maxFixableLength
}
