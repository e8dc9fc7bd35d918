import type { Rule } from '../review-types.ts'
import { phraseRule } from './support/phrase-rule.ts'

/** When to call a tool belongs in `usage`, which the full view shows. */
export const descriptionTrigger: Rule = phraseRule(
  'description-trigger',
  'trigger',
  'The description does not say when to call the tool.',
  'says when to call the tool',
)
