import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asArray, asSchema, ownValue } from '../schema/schema.ts'
import { parametersOf, type Subschema, walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'

/** One of the two is a mistake: the schema both demands the parameter and says what happens without it. */
export function* requiredDefault(tool: ReviewedTool): Generator<Problem> {
  for (const subschema of parametersOf(tool)) {
    const { pointer, name, schema, required } = subschema
    if (required !== 'always' || !Object.hasOwn(schema, 'default')) continue
    const message = `parameter ${quote(name)} is required but has a default`
    yield {
      pointer,
      message,
      // Whether a server fills in the default is unknown, so both corrections are possible.
      ...(tool.curfew === undefined ? {} : optional(subschema)),
    }
  }
}

/** The runtime fills in defaults, so calls without the parameter work and must keep working. */
function optional({ pointer, name, owner }: Subschema): Pick<Problem, 'rewrite' | 'fix'> {
  const required = asArray(owner?.required)
  const remaining = required.filter((other) => other !== name)
  const value = remaining.length === 0 ? undefined : remaining
  const at = pointer.slice(0, pointer.lastIndexOf('/properties/'))
  return {
    rewrite: formatKeyword('required', remaining),
    // For a branch, the enclosing schema may be the one that requires it.
    ...(required.includes(name) && { fix: { pointer: `${at}/required`, value } }),
  }
}

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
