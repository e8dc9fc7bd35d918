import { words } from '@curfew/core/internal'
import type { Rule } from '../review-types.ts'
import { ownValue, type Schema, typesOf } from '../schema/schema.ts'
import { type Subschema, walkSchema } from '../schema/walk-schema.ts'
import { defineRule } from './support/define-rule.ts'
import { formatKeyword } from './support/format-json.ts'
import { parametersProblem } from './support/parameters-problem.ts'
import { subschemaLabel } from './support/subschema-label.ts'

/** Keywords that constrain the type. */
const typeKeywords = words('type enum const $ref $dynamicRef $recursiveRef anyOf oneOf allOf not if')

export const typeMissing: Rule = defineRule(
  'type-missing',
  'warning',
  'Every parameter has a type, and every array declares its items.',
  function* (tool) {
    const untyped: Subschema[] = []
    for (const subschema of walkSchema(tool).subschemas) {
      const { pointer, schema, kind, raw } = subschema
      if (kind === 'property' && raw !== false && !typeKeywords.some((word) => Object.hasOwn(schema, word))) {
        const type = impliedType(schema)
        if (type === undefined) untyped.push(subschema)
        else {
          const message = `${subschemaLabel(subschema)} has no type`
          const fix = { pointer: `${pointer}/type`, value: type }
          yield { pointer, message, rewrite: formatKeyword('type', type), fix }
        }
      }
      if (kind === 'part' || !typesOf(schema).includes('array') || declaresItems(schema)) continue
      const message = `${subschemaLabel(subschema)} does not declare its items`
      yield { pointer, message }
    }
    yield* parametersProblem(untyped, 'type')
  },
)

function declaresItems(schema: Schema): boolean {
  return ['items', 'prefixItems', 'contains', 'enum', 'const', '$ref'].some((word) =>
    Object.hasOwn(schema, word),
  )
}

/** The type that other keywords of the schema imply. */
function impliedType(schema: Schema): string | undefined {
  const has = (...words: string[]): boolean => words.some((word) => Object.hasOwn(schema, word))
  // A boolean `required` is a common mistake in the schema of a parameter.
  if (has('properties', 'additionalProperties') || Array.isArray(ownValue(schema, 'required')))
    return 'object'
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return 'array'
  return typeof ownValue(schema, 'default') === 'boolean' ? 'boolean' : undefined
}
