import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import { singular } from '../language/singular.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { nameIndexOf } from './support/name-index.ts'

/** A model confuses names that are nearly the same. Only the later tool is reported, as the first may keep its name. */
export function* nameNearDuplicate(
  tool: ReviewedTool,
  siblings: readonly ReviewedTool[],
): Generator<Problem> {
  const other = nameIndexOf(siblings).near.get(tool)
  if (other === undefined) return
  // With the same name, one of the two cannot be called.
  if (tool.name === other.name) {
    const message = `the name ${quote(tool.name)} is also used by another tool`
    yield { pointer: '/name', message, severity: 'error' }
  } else {
    const similarity =
      wordsKey(tool) === wordsKey(other)
        ? `has the same words as ${quote(other.name)}`
        : `means the same as ${quote(other.name)} (if both do the same, keep one)`
    yield { pointer: '/name', message: `the name ${quote(tool.name)} ${similarity}` }
  }
}

/** Equal for the same words in any style and order, singular or plural. */
function wordsKey(tool: ReviewedTool): string {
  return nameWords(splitName(tool).local).map(singular).sort().join(' ')
}
