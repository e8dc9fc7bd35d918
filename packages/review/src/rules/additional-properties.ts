import { truncatedText } from '../language/tokenise-sentences.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asArray, asSchema, isObjectSchema, isRecord, ownValue, type Schema } from '../schema/schema.ts'
import { type Subschema, walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword } from './support/format-json.ts'
import { subschemaLabel } from './support/subschema-label.ts'

/** Without it, a misspelt parameter may be dropped silently. */
export function* additionalProperties(tool: ReviewedTool): Generator<Problem> {
  const { subschemas } = walkSchema(tool)
  // Closing an object could make a default with other properties invalid.
  const mayClose = !subschemas.some(({ schema }) => hasProperties(ownValue(schema, 'default')))
  // Schemas that others are composed of have to stay open.
  const isComposedOf = subschemas.some(({ schema }) => ownValue(schema, 'allOf') !== undefined)
  for (const subschema of subschemas) {
    const { pointer, schema, kind } = subschema
    if (kind === 'part' || !isObjectSchema(schema) || declaresAdditional(schema)) continue
    if (kind === 'definition' && isComposedOf) continue
    const message = `${subschemaLabel(subschema)} does not declare whether additional properties are allowed`
    const isComposed = ['allOf', 'anyOf', 'oneOf', '$ref', 'if'].some(
      (keyword) => ownValue(schema, keyword) !== undefined,
    )
    // A nested object without declared properties accepts any.
    const value = kind !== 'root' && ownValue(schema, 'properties') === undefined
    const keyword = isComposed ? 'unevaluatedProperties' : 'additionalProperties'
    const fix = { pointer: `${pointer}/additionalProperties`, value }
    // Whether a published server accepts more than it lists is unknown.
    const isCertain =
      tool.curfew !== undefined && isSafe(subschema, isComposed) && !mayHaveMore(tool.description, schema)
    yield {
      pointer,
      message,
      ...(mayClose && isCertain && { rewrite: formatKeyword(keyword, value), fix }),
    }
  }
}

function declaresAdditional(schema: Schema): boolean {
  return Object.hasOwn(schema, 'additionalProperties') || Object.hasOwn(schema, 'unevaluatedProperties')
}

/** A shared or composed schema may have to allow the properties of others. */
function isSafe({ kind }: Subschema, isComposed: boolean): boolean {
  return !isComposed && kind !== 'definition' && kind !== 'variant'
}

function hasProperties(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isRecord) : isRecord(value) && Object.keys(value).length > 0
}

const openText =
  /\b(?:any|other|extra|additional|further|custom|arbitrary) (?:\w+ )?(?:keys?|fields?|properties|parameters|arguments|json|objects?)\b/i

/** Whether the text or another keyword suggests properties that are not declared. */
function mayHaveMore(toolText: string | undefined, schema: Schema): boolean {
  const properties = asSchema(ownValue(schema, 'properties'))
  const required = asArray(ownValue(schema, 'required')).slice(0, 1_000)
  return (
    openText.test(`${toolText ?? ''} ${truncatedText(ownValue(schema, 'description'))}`.slice(0, 5_000)) ||
    required.some((name) => !(typeof name === 'string' && Object.hasOwn(properties, name))) ||
    ['minProperties', 'dependentSchemas', 'dependentRequired', 'examples'].some((keyword) =>
      Object.hasOwn(schema, keyword),
    )
  )
}
