import { findContradictions, type Hint } from '../behaviour/find-contradictions.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { formatKeyword } from './support/format-json.ts'

const flags: Readonly<Record<Hint, string>> = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
}

/** A tool marked read-only that runs any command, for example. Caps the grade at C. */
export const annotationContradiction: Rule = defineRule(
  'annotation-contradiction',
  'error',
  'The annotations match what the tool does.',
  function* (tool) {
    for (const { hint, claimed, does, evidence } of findContradictions(tool)) {
      const name = tool.curfew === undefined ? hint : flags[hint]
      yield {
        pointer: tool.curfew === undefined ? `/annotations/${hint}` : `/${name}`,
        message: `${name} is ${claimed}, but the tool ${does} (${evidence.join('; ')})`,
        rewrite: formatKeyword(name, !claimed),
      }
    }
  },
)
