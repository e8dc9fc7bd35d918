import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { listOf, type Schema } from '../schema/schema.ts'
import { parametersOf, type SchemaPlace } from '../schema/schema-places.ts'
import { defineRule, type Problem } from './support/define-rule.ts'
import { fragment, keyword } from './support/fragment.ts'

/** One of the two is not meant: the model is told that it has to give it, and that it need not. */
export const requiredDefault: Rule = defineRule(
  'required-default',
  'warning',
  'Required parameters have no default.',
  function* (tool) {
    for (const place of parametersOf(tool)) {
      const { pointer, name, schema, required } = place
      if (required !== 'always' || !Object.hasOwn(schema, 'default')) continue
      const message = `parameter ${quote(name)} is required and has a default all the same`
      yield { pointer, message, ...(tool.own === undefined ? withoutDefault(name, schema) : optional(place)) }
    }
  },
)

/** What a server fills in nobody knows: it is asked for, so it is given. */
function withoutDefault(name: string, schema: Schema): Pick<Problem, 'rewrite'> {
  const { default: _, ...value } = schema
  return { rewrite: fragment(name, value) }
}

/** The runtime fills in defaults, so a call without it works, and is to work on. */
function optional({ pointer, name, owner }: SchemaPlace): Pick<Problem, 'rewrite' | 'fix'> {
  const required = listOf(owner?.required)
  const left = required.filter((other) => other !== name)
  const value = left.length === 0 ? undefined : left
  const at = pointer.slice(0, pointer.lastIndexOf('/properties/'))
  return {
    rewrite: keyword('required', left),
    // A branch may be asked for it by what it is a branch of.
    ...(required.includes(name) && { fix: { pointer: `${at}/required`, value } }),
  }
}
