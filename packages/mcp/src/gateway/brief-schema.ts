import { isJsonObject, resolveReference } from '@curfew/core/internal'
import type { JsonObject } from './json-object.ts'
import { firstSentence, markAsShortened, moreMark } from './shorten-text.ts'

export interface BriefSchema {
  readonly schema: JsonObject
  /** Something that a model may need was left out. */
  readonly isShortened: boolean
}

const maxDescriptionLength = 40
const maxDefaultLength = 24
/** A property with more characters loses what is nested in it, the innermost first. */
const maxPropertyLength = { required: 400, optional: 120 }
/** Levels of properties that are kept at most. */
const maxLevels = 4
/** Limits alternatives, arrays and references inside each other, since references can be circular. */
const maxNesting = 32
const maxNodes = 2_000

/** A shorter schema is kept as it is, since little would be gained; so is one with conditions, which says little without them. */
const shortLength = { plain: 300, conditional: 1_000 }
const conditions = ['if', 'not', 'dependentRequired', 'dependentSchemas', 'unevaluatedProperties'] as const

/** Kept unchanged: what a call needs, and what makes a validator accept more. */
const keptKeywords = ['type', 'enum', 'const', 'nullable', 'x-mcp-header'] as const

/**
 * A shorter schema for the arguments of a tool: names, types, required properties and choices, with short descriptions and references resolved.
 * It accepts everything that the whole schema accepts, because clients may validate with it.
 */
export function briefInputSchema(schema: unknown): BriefSchema {
  if (isJsonObject(schema) && isShort(schema)) return { schema, isShortened: false }
  const shortener = new SchemaShortener(schema, 'input')
  return { schema: shortener.shorten(), isShortened: shortener.cuts > 0 }
}

/** Only the names and types at the top level: clients validate results with it, and few models see it. */
export function briefOutputSchema(schema: unknown): JsonObject {
  const { type } = Object(schema) as JsonObject
  // It may be next to a reference. Without it, a client would be told that the result is not an object.
  return { ...new SchemaShortener(schema, 'output').shorten(), ...(type !== undefined && { type }) }
}

class SchemaShortener {
  readonly #root: unknown
  readonly #isInput: boolean
  /** How many levels of properties are kept. */
  #levels: number
  #nodes = 0
  /** How often something was left out that a model may need. */
  cuts = 0

  constructor(root: unknown, kind: 'input' | 'output') {
    this.#root = root
    this.#isInput = kind === 'input'
    this.#levels = this.#isInput ? maxLevels : 1
  }

  shorten(): JsonObject {
    return Object(this.#shorten(this.#root, 0, 0)) as JsonObject
  }

  /** `level` counts the properties around it, `nesting` all schemas around it. */
  #shorten(schema: unknown, level: number, nesting: number): unknown {
    if (typeof schema === 'boolean') return schema
    if (!isJsonObject(schema)) return {}
    if (nesting > maxNesting || ++this.#nodes > maxNodes) {
      this.cuts++
      return {}
    }
    // What is next to a reference is left out: together, they could be stricter than each alone.
    if (typeof schema.$ref === 'string')
      return this.#shorten(resolveReference(schema.$ref, this.#root), level, nesting + 1)
    const brief: Record<string, unknown> = {}
    for (const keyword of keptKeywords) if (Object.hasOwn(schema, keyword)) brief[keyword] = schema[keyword]
    if (this.#isInput && isShortValue(schema.default)) brief.default = schema.default
    Object.assign(brief, this.#members(schema, level, nesting))
    const { items, prefixItems, allOf, anyOf, oneOf } = schema
    // Without `prefixItems`, `items` would apply to every item.
    if (prefixItems !== undefined) this.cuts++
    else if (items !== undefined && !Array.isArray(items)) brief.items = this.#inner(items, level, nesting)
    if (this.#isInput && Array.isArray(allOf)) brief.allOf = this.#all(allOf, level, nesting)
    // Shortened alternatives may overlap, which `oneOf` would reject.
    const alternatives = [anyOf, oneOf].find(Array.isArray) as readonly unknown[] | undefined
    if (alternatives !== undefined) brief.anyOf = this.#all(alternatives, level, nesting)
    return brief
  }

  /** The keywords of an object. `additionalProperties` is also kept if it is true, because some clients read a missing one as false. */
  #members(schema: JsonObject, level: number, nesting: number): JsonObject {
    const { properties, patternProperties, required, additionalProperties: others } = schema
    const isMap = isJsonObject(others) && Object.keys(others).length > 0
    const hasMembers = isJsonObject(properties) || isMap
    const isLeftOut = patternProperties !== undefined || (level >= this.#levels && hasMembers)
    if (isLeftOut) this.cuts++
    // Without `patternProperties`, `additionalProperties` would apply to more names.
    const isOpen = isLeftOut || others === true || (isJsonObject(others) && !isMap)
    const open = this.#isInput && isOpen && { additionalProperties: true }
    if (level >= this.#levels) return { ...open }
    const names = new Set(Array.isArray(required) ? required : [])
    return {
      ...(isJsonObject(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [
            name,
            this.#property(property, names.has(name), level + 1, nesting + 1),
          ]),
        ),
      }),
      ...(this.#isInput && names.size > 0 && { required }),
      ...(isMap && !isOpen && { additionalProperties: this.#inner(others, level + 1, nesting) }),
      ...open,
    }
  }

  #property(schema: unknown, isRequired: boolean, level: number, nesting: number): unknown {
    if (!this.#isInput) return this.#shorten(schema, level, nesting)
    // Only the parameters themselves are described.
    if (level > 1) return this.#inner(schema, level, nesting)
    const cuts = this.cuts
    const brief = this.#fitting(
      schema,
      isRequired ? maxPropertyLength.required : maxPropertyLength.optional,
      nesting,
    )
    if (!isJsonObject(brief)) return brief
    const description = this.#shortDescription(this.#descriptionOf(schema), this.cuts > cuts)
    return description === '' ? brief : { ...brief, description }
  }

  /** A parameter with as many levels of its own properties as fit. */
  #fitting(schema: unknown, maxLength: number, nesting: number): unknown {
    const { cuts } = this
    try {
      for (this.#levels = maxLevels; ; this.#levels--) {
        this.cuts = cuts
        const brief = this.#shorten(schema, 1, nesting)
        if (this.#levels === 1 || JSON.stringify(brief).length <= maxLength) return brief
      }
    } finally {
      this.#levels = maxLevels
    }
  }

  #shortDescription(text: string, isCut: boolean): string {
    const short = firstSentence(text, maxDescriptionLength)
    if (short.endsWith(moreMark)) this.cuts++
    else if (isCut) return markAsShortened(short)
    return short
  }

  #descriptionOf(schema: unknown): string {
    const { description, $ref } = Object(schema) as JsonObject
    const text =
      description ?? (typeof $ref === 'string' && Object(resolveReference($ref, this.#root)).description)
    return typeof text === 'string' ? text.trim() : ''
  }

  /** A schema that is not a property itself. */
  #inner(schema: unknown, level: number, nesting: number): unknown {
    if (this.#isInput && this.#descriptionOf(schema) !== '') this.cuts++
    return this.#shorten(schema, level, nesting + 1)
  }

  /** Alternatives that became the same are listed once. */
  #all(schemas: readonly unknown[], level: number, nesting: number): unknown[] {
    const brief = schemas.map((schema) => this.#inner(schema, level, nesting))
    return [...new Map(brief.map((schema) => [JSON.stringify(schema), schema])).values()]
  }
}

function isShort(schema: JsonObject): boolean {
  const isConditional = conditions.some((keyword) => Object.hasOwn(schema, keyword))
  return JSON.stringify(schema).length <= (isConditional ? shortLength.conditional : shortLength.plain)
}

/** A default that is as short as a description of it would be. */
function isShortValue(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).length <= maxDefaultLength
}
