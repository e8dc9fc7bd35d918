import type { Rule } from '../review-types.ts'
import { phraseRule } from './support/phrase-rule.ts'

/** The shape of the result does not help to make the call; it has a schema of its own. */
export const descriptionOutput: Rule = phraseRule(
  'description-output',
  'output',
  'The description does not spell out the result.',
  'spells out the result',
)
