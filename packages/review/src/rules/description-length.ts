import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { moveToUsage } from './support/move-to-usage.ts'

const maxLength = 300

/** Descriptions are part of every request, so each word costs tokens. */
export const descriptionLength: Rule = defineRule(
  'description-length',
  { own: 'warning', published: 'note' },
  `The description has at most ${maxLength} characters.`,
  function* (tool) {
    const length = tool.description?.length ?? 0
    if (length <= maxLength) return
    const message = `the description has ${length} characters, more than ${maxLength}`
    yield { pointer: '/description', message, rewrite: moveToUsage(tool) }
  },
)
