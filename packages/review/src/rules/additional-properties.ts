import type { Rule } from '../review-types.ts'
import { isObjectSchema, isRecord, own, type Schema } from '../schema/schema.ts'
import { type SchemaPlace, schemaPlaces } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword } from './support/fragment.ts'
import { placeName } from './support/place-name.ts'

/** Without a decision a misspelt parameter is dropped without a word. */
export const additionalProperties: Rule = defineRule(
  'additional-properties',
  'warning',
  'Every object says whether it takes other properties.',
  function* (tool) {
    const { places } = schemaPlaces(tool)
    // A default with other properties would not fit any more.
    const mayClose = !places.some(({ schema }) => hasProperties(own(schema, 'default')))
    // What others are put together from must stay open.
    const isComposedOf = places.some(({ schema }) => own(schema, 'allOf') !== undefined)
    for (const place of places) {
      const { pointer, schema, kind } = place
      if (kind === 'part' || !isObjectSchema(schema) || isDecided(schema)) continue
      if (kind === 'definition' && isComposedOf) continue
      const message = `${placeName(place)} does not say whether other properties are allowed`
      const isComposed = ['allOf', 'anyOf', 'oneOf', '$ref', 'if'].some(
        (found) => own(schema, found) !== undefined,
      )
      // An object without properties of its own, below the top, is one for any.
      const value = kind !== 'root' && own(schema, 'properties') === undefined
      const decision = isComposed ? 'unevaluatedProperties' : 'additionalProperties'
      const fix = { pointer: `${pointer}/additionalProperties`, value }
      yield {
        pointer,
        message,
        rewrite: keyword(decision, value),
        ...(mayClose && isSafe(place, isComposed) && { fix }),
      }
    }
  },
)

function isDecided(schema: Schema): boolean {
  return Object.hasOwn(schema, 'additionalProperties') || Object.hasOwn(schema, 'unevaluatedProperties')
}

/** What is used in several places, or has branches, is open in one for what the others have. */
function isSafe({ kind }: SchemaPlace, isComposed: boolean): boolean {
  return !isComposed && kind !== 'definition' && kind !== 'variant'
}

function hasProperties(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isRecord) : isRecord(value) && Object.keys(value).length > 0
}
