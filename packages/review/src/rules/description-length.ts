import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { maxDescriptionLength, suggestDescription } from './support/suggest-description.ts'

/** Descriptions are part of every request, so each word costs tokens. */
export const descriptionLength: Rule = defineRule(
  'description-length',
  'warning',
  `The description has at most ${maxDescriptionLength} characters.`,
  function* (tool) {
    const length = tool.description?.length ?? 0
    if (length <= maxDescriptionLength) return
    const message = `the description has ${length} characters, more than ${maxDescriptionLength}`
    yield { pointer: '/description', message, rewrite: suggestDescription(tool) }
  },
)
