import type { Rule } from '../review-types.ts'
import { betterDescription, longestDescription } from './support/better-description.ts'
import { defineRule } from './support/define-rule.ts'

/** Every word of it is paid for in every request. */
export const descriptionLength: Rule = defineRule(
  'description-length',
  'warning',
  `The description has at most ${longestDescription} characters.`,
  function* (tool) {
    const length = tool.description?.length ?? 0
    if (length <= longestDescription) return
    const message = `the description has ${length} characters; ${longestDescription} are plenty`
    yield { pointer: '/description', message, rewrite: betterDescription(tool) }
  },
)
