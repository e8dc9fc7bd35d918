import { withoutHidden } from '../language/hidden-characters.ts'
import type { Rule } from '../review-types.ts'
import { sentenceFromName } from './support/better-description.ts'
import { defineRule } from './support/define-rule.ts'

export const descriptionMissing: Rule = defineRule(
  'description-missing',
  'error',
  'There is a description.',
  function* (tool) {
    if (tool.description !== undefined && withoutHidden(tool.description).trim() !== '') return
    const message = tool.description === undefined ? 'there is no description' : 'the description is empty'
    yield { pointer: '/description', message, rewrite: sentenceFromName(tool) }
  },
)
