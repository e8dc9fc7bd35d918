import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asArray } from '../schema/schema.ts'
import { parametersOf, type Subschema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword } from './support/format-json.ts'

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
