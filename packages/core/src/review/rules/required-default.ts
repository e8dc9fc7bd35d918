import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { parametersOf } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { fragment } from './support/fragment.ts'

/** It is never used, and tells the model that the parameter may be left out. */
export const requiredDefault: Rule = defineRule(
  'required-default',
  'warning',
  'Required parameters have no default.',
  function* (tool) {
    for (const { pointer, name, schema, required } of parametersOf(tool)) {
      if (required !== 'always' || !Object.hasOwn(schema, 'default')) continue
      const { default: _, ...value } = schema
      const message = `parameter ${quote(name)} is required and has a default all the same`
      const fix = { pointer: `${pointer}/default`, value: undefined }
      yield { pointer, message, rewrite: fragment(name, value), fix }
    }
  },
)
