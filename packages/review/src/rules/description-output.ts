import type { Rule } from '../review-types.ts'
import { phraseRule } from './support/phrase-rule.ts'

/** The result's format does not help to make the call, and it has its own schema. */
export const descriptionOutput: Rule = phraseRule(
  'description-output',
  'output',
  'The description does not specify the result.',
  'specifies the result',
)
