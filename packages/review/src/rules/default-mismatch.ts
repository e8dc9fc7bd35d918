import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { documentedDefault } from './support/documented-default.ts'
import { formatValue } from './support/format-json.ts'
import { describedParameters } from './support/parameter-prose.ts'

/** A model believes one of the two, and the server does the other. */
export const defaultMismatch: Rule = defineRule(
  'default-mismatch',
  'warning',
  'The text and the schema state the same default.',
  function* (tool) {
    for (const { name, pointer, complete, prose } of describedParameters(tool)) {
      const declared = complete.default
      if (declared === undefined || declared === null || declared === '') continue
      const stated = documentedDefault(prose, complete)
      if (stated === undefined || formatValue(stated) === formatValue(declared)) continue
      const message = `parameter ${quote(name)} has the default ${formatValue(declared)}, but its description says ${formatValue(stated)}`
      yield { pointer, message }
    }
  },
)
