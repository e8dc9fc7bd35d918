import { isPlain } from '../../language/hidden-characters.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { escapeKey, own } from '../../schema/schema.ts'
import { parametersOf, type SchemaPlace, schemaPlaces } from '../../schema/schema-places.ts'
import { placeName } from './place-name.ts'

/** A text of a definition that a model reads. */
export interface VisibleText {
  readonly pointer: string
  /** For messages: `the description`, `the name of "city"`. */
  readonly what: string
  readonly text: string
  /** A value is what else stands in a schema: titles, choices, defaults and the like. */
  readonly kind:
    | 'name'
    | 'description'
    | 'parameter-name'
    | 'parameter-description'
    | 'part-description'
    | 'value'
  /** Of a parameter: its name. */
  readonly parameter: string
}

/** A longer text is not rewritten for anybody. */
export const longestFixed = 20_000

const valueKeywords = ['title', 'default', 'const', 'pattern', '$comment']
const listKeywords = ['enum', 'examples']
const strange = new WeakMap<ReviewedTool, readonly VisibleText[]>()

/** The texts that have any character in them that is not on every keyboard: most definitions have none. */
export function strangeTexts(tool: ReviewedTool): readonly VisibleText[] {
  let texts = strange.get(tool)
  if (texts === undefined) {
    texts = [...described(tool), ...values(tool)]
    strange.set(tool, texts)
  }
  return texts
}

/** Descriptions in plain letters, which may still be in any language. */
export function plainDescriptions(tool: ReviewedTool): VisibleText[] {
  const texts: VisibleText[] = []
  const { description } = tool
  if (description !== undefined && isPlain(description)) texts.push(descriptionOf(description))
  for (const place of parametersOf(tool)) {
    const text = own(place.schema, 'description')
    if (typeof text === 'string' && isPlain(text)) texts.push(parameterDescriptionOf(place, text))
  }
  return texts
}

function* described(tool: ReviewedTool): Generator<VisibleText> {
  const { name: text, description } = tool
  if (!isPlain(text)) yield { pointer: '/name', what: 'the name', text, kind: 'name', parameter: '' }
  if (description !== undefined && !isPlain(description)) yield descriptionOf(description)
  for (const place of parametersOf(tool)) {
    const { pointer, name } = place
    if (!isPlain(name)) {
      const what = `the name of parameter "${name}"`
      yield { pointer, what, text: name, kind: 'parameter-name', parameter: name }
    }
    const about = own(place.schema, 'description')
    if (typeof about === 'string' && !isPlain(about)) yield parameterDescriptionOf(place, about)
  }
}

/** What else can carry hidden characters to a model. */
function* values(tool: ReviewedTool): Generator<VisibleText> {
  yield* value('/title', 'the title', tool.title)
  yield* value('/usage', 'the usage', tool.usage)
  for (const place of schemaPlaces(tool).places) {
    const { kind, pointer, schema } = place
    for (const keyword in schema) {
      const found = schema[keyword]
      if (typeof found === 'string') {
        const isPart = keyword === 'description' && kind !== 'property'
        if (!(isPart || valueKeywords.includes(keyword))) continue
        yield* value(
          `${pointer}/${keyword}`,
          whatOf(place, keyword),
          found,
          isPart ? 'part-description' : 'value',
        )
      } else if (listKeywords.includes(keyword) && Array.isArray(found)) {
        for (const [index, text] of found.slice(0, 1_000).entries()) {
          yield* value(`${pointer}/${keyword}/${index}`, whatOf(place, keyword), text)
        }
      } else if (keyword === '$defs' && typeof found === 'object' && found !== null) {
        for (const key of Object.keys(found).slice(0, 1_000)) {
          yield* value(`${pointer}/$defs/${escapeKey(key)}`, 'the name of a definition', key)
        }
      }
    }
  }
}

function whatOf(place: SchemaPlace, keyword: string): string {
  return `the ${keyword} of ${placeName(place)}`
}

function* value(
  pointer: string,
  what: string,
  text: unknown,
  kind: VisibleText['kind'] = 'value',
): Generator<VisibleText> {
  if (typeof text === 'string' && !isPlain(text)) yield { pointer, what, text, kind, parameter: '' }
}

function descriptionOf(text: string): VisibleText {
  return { pointer: '/description', what: 'the description', text, kind: 'description', parameter: '' }
}

function parameterDescriptionOf({ pointer, name }: SchemaPlace, text: string): VisibleText {
  const what = `the description of "${name}"`
  return { pointer: `${pointer}/description`, what, text, kind: 'parameter-description', parameter: name }
}

/** A name is called by others: to change it may break them. */
export function isFixable({ kind, text }: VisibleText): boolean {
  return (kind === 'description' || kind === 'parameter-description') && text.length <= longestFixed
}
