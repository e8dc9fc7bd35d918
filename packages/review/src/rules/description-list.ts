import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { descriptionProse } from './support/description-prose.ts'

export const descriptionList: Rule = defineRule(
  'description-list',
  { own: 'warning', published: 'note' },
  'The description contains no list.',
  function* (tool) {
    const { listItems } = descriptionProse(tool)
    if (listItems.length === 0) return
    const message = `the description contains a list of ${listItems.length}: ${quote(listItems[0]!)}`
    yield { pointer: '/description', message }
  },
)
