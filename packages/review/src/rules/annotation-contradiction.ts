import { contradictionsOf, type Hint } from '../behaviour/contradictions.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword } from './support/fragment.ts'

const flags: Readonly<Record<Hint, string>> = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
}

/** The lie of the published `timeout` tool: marked read-only, and it runs any command. Caps the grade at C. */
export const annotationContradiction: Rule = defineRule(
  'annotation-contradiction',
  'error',
  'The annotations say what the tool really does to the world.',
  function* (tool) {
    for (const { hint, claimed, does, evidence } of contradictionsOf(tool)) {
      const name = tool.own === undefined ? hint : flags[hint]
      yield {
        pointer: tool.own === undefined ? `/annotations/${hint}` : `/${name}`,
        message: `${name} is ${claimed}, but the tool ${does} (${evidence.join('; ')})`,
        rewrite: keyword(name, !claimed),
      }
    }
  },
)
