import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asArray, asSchema, ownValue } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'

export function* requiredUnknown(tool: ReviewedTool): Generator<Problem> {
  for (const { pointer, schema, kind } of walkSchema(tool).subschemas) {
    // A branch may require properties of the enclosing schema.
    if (kind === 'part' || kind === 'variant' || ownValue(schema, 'required') === undefined) continue
    if (
      ['allOf', 'anyOf', 'oneOf', '$ref', 'patternProperties'].some(
        (keyword) => ownValue(schema, keyword) !== undefined,
      )
    )
      continue
    const properties = asSchema(ownValue(schema, 'properties'))
    const required = asArray(ownValue(schema, 'required')).slice(0, 1_000)
    const unknown = required.filter((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))
    if (unknown.length === 0) continue
    const known = required.filter((name) => !unknown.includes(name))
    const intended = unknown.length === 1 ? sameWords(unknown[0], properties, known) : undefined
    const message = `${unknown
      .slice(0, 5)
      .map((name) => (typeof name === 'string' ? quote(name) : formatValue(name)))
      .join(
        ', ',
      )} ${unknown.length === 1 ? 'is required but not a declared property' : 'are required but not declared properties'}`
    yield {
      pointer: `${pointer}/required`,
      message,
      ...(intended !== undefined && { rewrite: formatKeyword('required', [...known, intended]) }),
    }
  }
}

/** The same words in another style: `userId` for `user_id`. */
function sameWords(name: unknown, properties: object, taken: readonly unknown[]): string | undefined {
  const words = typeof name === 'string' ? nameWords(name).join('') : ''
  return Object.keys(properties)
    .slice(0, 1_000)
    .find((key) => !taken.includes(key) && nameWords(key).join('') === words)
}
