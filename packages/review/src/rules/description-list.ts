import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { descriptionProse } from './support/description-prose.ts'
import { suggestDescription } from './support/suggest-description.ts'

export const descriptionList: Rule = defineRule(
  'description-list',
  'warning',
  'The description contains no list.',
  function* (tool) {
    const { listItems } = descriptionProse(tool)
    if (listItems.length === 0) return
    const message = `the description contains a list of ${listItems.length}: ${quote(listItems[0]!)}`
    yield { pointer: '/description', message, rewrite: suggestDescription(tool) }
  },
)
