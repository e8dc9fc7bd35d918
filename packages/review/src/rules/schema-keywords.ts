import { clip } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { isOfType, isRecord, jsonType, ownValue, resolveReference, typesOf } from '../schema/schema.ts'
import { type Subschema, walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'
import { subschemaLabel } from './support/subschema-label.ts'

/** JSON types as other languages name them. */
const typeAliases: ReadonlyMap<string, string> = new Map(
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

/** Clients reject such a schema, or interpret it differently. */
export function* schemaKeywords(tool: ReviewedTool): Generator<Problem> {
  for (const subschema of walkSchema(tool).subschemas) {
    for (const check of [checkType, checkEnum, checkRequired, checkProperties, checkPattern]) {
      const problem = check(subschema)
      if (problem !== undefined) yield problem
    }
    const problem = checkReference(tool, subschema)
    if (problem !== undefined) yield problem
  }
}

function checkType(subschema: Subschema): Problem | undefined {
  const type = ownValue(subschema.schema, 'type')
  const unknown = (Array.isArray(type) ? type : [type])
    .slice(0, 20)
    .find((one) => typeof one !== 'string' || !types.has(one))
  if (type === undefined || unknown === undefined) return undefined
  const intended = typeof unknown === 'string' ? typeAliases.get(unknown.toLowerCase()) : undefined
  const better =
    intended !== undefined && Array.isArray(type)
      ? type.map((one) => (one === unknown ? intended : one))
      : intended
  return problemOf(
    subschema,
    'type',
    `the type ${formatValue(unknown)}, which JSON Schema does not have`,
    better,
  )
}

function checkEnum(subschema: Subschema): Problem | undefined {
  const { schema } = subschema
  const choices = ownValue(schema, 'enum')
  if (choices === undefined) return undefined
  if (!Array.isArray(choices) || choices.length === 0)
    return problemOf(subschema, 'enum', `the enum ${formatValue(choices)}, which allows no value`)
  const declared = typesOf(schema).filter((type) => types.has(type))
  const mismatch = choices.slice(0, 1_000).find((choice) => !isOfType(choice, declared))
  if (declared.length === 0 || mismatch === undefined) return undefined
  return problemOf(
    subschema,
    'type',
    `the enum value ${formatValue(mismatch)}, which is not of type ${declared.join(' or ')}`,
  )
}

function checkRequired(subschema: Subschema): Problem | undefined {
  const { schema, kind } = subschema
  const required = ownValue(schema, 'required')
  if (required === undefined || Array.isArray(required)) return undefined
  // A common mistake is `required: true` in the schema of the parameter.
  const where =
    kind === 'property' && typeof required === 'boolean'
      ? ', which belongs in the enclosing object'
      : ', which is not an array'
  return problemOf(subschema, 'required', `required: ${formatValue(required)}${where}`)
}

function checkProperties(subschema: Subschema): Problem | undefined {
  const properties = ownValue(subschema.schema, 'properties')
  if (properties === undefined || isRecord(properties)) return undefined
  return problemOf(subschema, 'properties', `properties of type ${jsonType(properties)} instead of an object`)
}

function checkPattern(subschema: Subschema): Problem | undefined {
  const pattern = ownValue(subschema.schema, 'pattern')
  if (pattern === undefined || (typeof pattern === 'string' && isPattern(pattern))) return undefined
  return problemOf(
    subschema,
    'pattern',
    `a pattern that is not a regular expression: ${formatValue(pattern)}`,
  )
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

/** References to other documents are not checked. */
function checkReference({ inputSchema }: ReviewedTool, subschema: Subschema): Problem | undefined {
  const reference = ownValue(subschema.schema, '$ref')
  if (reference === undefined) return undefined
  if (typeof reference === 'string' && !reference.startsWith('#/')) return undefined
  const target = typeof reference === 'string' ? resolveReference(inputSchema, subschema.schema) : {}
  const isDangling = Object.keys(target).length === 0 || ownValue(target, '$ref') !== undefined
  if (!isDangling) return undefined
  return problemOf(subschema, '$ref', `a $ref that cannot be resolved: ${clip(formatValue(reference), 100)}`)
}

function problemOf(subschema: Subschema, keyword: string, problem: string, better?: unknown): Problem {
  const pointer = `${subschema.pointer}/${keyword}`
  const message = `${subschemaLabel(subschema)} has ${problem}`
  return { pointer, message, ...(better !== undefined && { rewrite: formatKeyword(keyword, better) }) }
}
