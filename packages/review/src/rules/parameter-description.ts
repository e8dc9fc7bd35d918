import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { ownValue, resolveReference, type Schema } from '../schema/schema.ts'
import { parametersOf } from '../schema/walk-schema.ts'
import { defineRule } from './support/define-rule.ts'
import { describeParameter } from './support/describe-parameter.ts'
import { formatKeyword } from './support/format-json.ts'
import { objectOf } from './support/suggest-description.ts'

export const parameterDescription: Rule = defineRule(
  'parameter-description',
  'warning',
  'Every parameter has a description, including nested ones.',
  function* (tool) {
    let object: string | undefined
    for (const { pointer, name, schema } of parametersOf(tool)) {
      if (isDescribed(schema) || isDescribed(resolveReference(tool.inputSchema, schema))) continue
      const message = `parameter ${quote(name)} has no description`
      object ??= objectOf(tool)
      yield {
        pointer,
        message,
        rewrite: formatKeyword('description', describeParameter(name, schema, object)),
      }
    }
  },
)

function isDescribed(schema: Schema): boolean {
  const description = ownValue(schema, 'description')
  return typeof description === 'string' && description.trim() !== ''
}
