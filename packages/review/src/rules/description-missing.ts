import { stripHidden } from '../language/strip-hidden.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'

export const descriptionMissing: Rule = defineRule(
  'description-missing',
  'error',
  'There is a description.',
  function* (tool) {
    if (tool.description !== undefined && stripHidden(tool.description).trim() !== '') return
    const message = tool.description === undefined ? 'there is no description' : 'the description is empty'
    yield { pointer: '/description', message }
  },
)
