import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { own, resolveReference, type Schema } from '../schema/schema.ts'
import { parametersOf } from '../schema/schema-places.ts'
import { objectOf } from './support/better-description.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword } from './support/fragment.ts'
import { describeParameter } from './support/parameter-text.ts'

export const parameterDescription: Rule = defineRule(
  'parameter-description',
  'warning',
  'Every parameter has a description, nested ones too.',
  function* (tool) {
    let object: string | undefined
    for (const { pointer, name, schema } of parametersOf(tool)) {
      if (isDescribed(schema) || isDescribed(resolveReference(tool.inputSchema, schema))) continue
      const message = `parameter ${quote(name)} has no description`
      object ??= objectOf(tool)
      yield { pointer, message, rewrite: keyword('description', describeParameter(name, schema, object)) }
    }
  },
)

function isDescribed(schema: Schema): boolean {
  const description = own(schema, 'description')
  return typeof description === 'string' && description.trim() !== ''
}
