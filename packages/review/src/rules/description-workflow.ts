import type { Rule } from '../review-types.ts'
import { phraseRule } from './support/phrase-rule.ts'

export const descriptionWorkflow: Rule = phraseRule(
  'description-workflow',
  'workflow',
  'The description does not say what to do before or after the call.',
  'says what to do before or after the call',
)
