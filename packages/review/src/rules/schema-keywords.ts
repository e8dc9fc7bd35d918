import { clip } from '../language/printable.ts'
import type { ReviewedTool, Rule } from '../review-types.ts'
import { isRecord, own, resolveReference, typesOf } from '../schema/schema.ts'
import { type SchemaPlace, schemaPlaces } from '../schema/schema-places.ts'
import { defineRule, type Problem } from './support/define-rule.ts'
import { keyword, shown } from './support/fragment.ts'
import { isOfType, jsonType } from './support/json-type.ts'
import { placeName } from './support/place-name.ts'

/** How other languages call the types of JSON. */
const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    int: 'integer',
    long: 'integer',
    float: 'number',
    double: 'number',
    decimal: 'number',
    str: 'string',
    text: 'string',
    date: 'string',
    bool: 'boolean',
    list: 'array',
    tuple: 'array',
    dict: 'object',
    map: 'object',
    none: 'null',
  }),
)
const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

/** Clients refuse such a schema, or read it each in another way. */
export const schemaKeywords: Rule = defineRule(
  'schema-keywords',
  'error',
  'Every keyword of the schema has a value that it can have.',
  function* (tool) {
    for (const place of schemaPlaces(tool).places) {
      for (const check of [checkType, checkEnum, checkRequired, checkProperties, checkPattern]) {
        const problem = check(place)
        if (problem !== undefined) yield problem
      }
      const problem = checkReference(tool, place)
      if (problem !== undefined) yield problem
    }
  },
)

function checkType(place: SchemaPlace): Problem | undefined {
  const written = own(place.schema, 'type')
  const unknown = (Array.isArray(written) ? written : [written])
    .slice(0, 20)
    .find((one) => typeof one !== 'string' || !types.has(one))
  if (written === undefined || unknown === undefined) return undefined
  const meant = typeof unknown === 'string' ? (otherNames.get(unknown.toLowerCase()) ?? 'string') : 'string'
  const better = Array.isArray(written) ? written.map((one) => (one === unknown ? meant : one)) : meant
  return problemOf(place, 'type', `the type ${shown(unknown)}, which JSON Schema does not have`, better)
}

function checkEnum(place: SchemaPlace): Problem | undefined {
  const { schema } = place
  const choices = own(schema, 'enum')
  if (choices === undefined) return undefined
  if (!Array.isArray(choices) || choices.length === 0) {
    const better = Array.isArray(choices) ? ['<a choice>'] : [choices]
    return problemOf(place, 'enum', `the choices ${shown(choices)}, which nothing can be one of`, better)
  }
  const declared = typesOf(schema).filter((type) => types.has(type))
  const odd = choices.slice(0, 1_000).find((choice) => !isOfType(choice, declared))
  if (declared.length === 0 || odd === undefined) return undefined
  return problemOf(
    place,
    'type',
    `the choice ${shown(odd)} and the type ${declared.join(' or ')}`,
    jsonType(odd),
  )
}

function checkRequired(place: SchemaPlace): Problem | undefined {
  const { schema, kind, name } = place
  const required = own(schema, 'required')
  if (required === undefined || Array.isArray(required)) return undefined
  // Some write it where the parameter is described.
  const better =
    kind === 'property' && typeof required === 'boolean'
      ? [name]
      : typeof required === 'string'
        ? [required]
        : []
  const where =
    kind === 'property' && typeof required === 'boolean'
      ? ', which belongs to the object around it'
      : ', which is no list'
  return problemOf(place, 'required', `required: ${shown(required)}${where}`, better)
}

function checkProperties(place: SchemaPlace): Problem | undefined {
  const properties = own(place.schema, 'properties')
  if (properties === undefined || isRecord(properties)) return undefined
  return problemOf(place, 'properties', `properties that are ${jsonType(properties)} and not an object`, {})
}

function checkPattern(place: SchemaPlace): Problem | undefined {
  const pattern = own(place.schema, 'pattern')
  if (pattern === undefined || (typeof pattern === 'string' && isPattern(pattern))) return undefined
  const better = String(pattern)
    .slice(0, 200)
    .replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  return problemOf(place, 'pattern', `a pattern that is no regular expression: ${shown(pattern)}`, better)
}

function isPattern(pattern: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      new RegExp(pattern.slice(0, 10_000), flags)
      return true
    } catch {
      return false
    }
  })
}

/** References to other documents are not looked up. */
function checkReference({ inputSchema }: ReviewedTool, place: SchemaPlace): Problem | undefined {
  const reference = own(place.schema, '$ref')
  if (reference === undefined) return undefined
  if (typeof reference === 'string' && !reference.startsWith('#/')) return undefined
  const target = typeof reference === 'string' ? resolveReference(inputSchema, place.schema) : {}
  const leadsNowhere = Object.keys(target).length === 0 || own(target, '$ref') !== undefined
  if (!leadsNowhere) return undefined
  const known = Object.keys(Object(own(inputSchema, '$defs') ?? own(inputSchema, 'definitions'))).slice(0, 1)
  const better = known.length === 0 ? '#/$defs/<name>' : `#/$defs/${known[0]}`
  return problemOf(place, '$ref', `a $ref that leads nowhere: ${clip(shown(reference), 100)}`, better)
}

function problemOf(place: SchemaPlace, name: string, has: string, better: unknown): Problem {
  const pointer = `${place.pointer}/${name}`
  return { pointer, message: `${placeName(place)} has ${has}`, rewrite: keyword(name, better) }
}
