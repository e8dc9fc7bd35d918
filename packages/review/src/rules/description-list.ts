import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { betterDescription } from './support/better-description.ts'
import { defineRule } from './support/define-rule.ts'
import { proseOf } from './support/prose.ts'

export const descriptionList: Rule = defineRule(
  'description-list',
  'warning',
  'The description has no list in it.',
  function* (tool) {
    const { listItems } = proseOf(tool)
    if (listItems.length === 0) return
    const message = `the description has a list of ${listItems.length} in it: ${quote(listItems[0]!)}`
    yield { pointer: '/description', message, rewrite: betterDescription(tool) }
  },
)
