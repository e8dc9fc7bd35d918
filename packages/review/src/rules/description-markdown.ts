import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { findMarkdown, hasHeading, stripMarkdown } from './support/markdown.ts'

const maxFixableLength = 20_000

export function* descriptionMarkdown(tool: ReviewedTool): Generator<Problem> {
  const text = tool.description ?? ''
  const found = findMarkdown(text)
  if (found === undefined) return
  const value = stripMarkdown(text)
  // Certain if only markup is removed and every word stays.
  const isCertain =
    tool.curfew !== undefined &&
    text.length <= maxFixableLength &&
    value !== '' &&
    !hasHeading(text) &&
    !losesContent(text)
  yield {
    pointer: '/description',
    message: `the description contains ${found.kind}: ${quote(found.phrase)}`,
    ...(isCertain && { rewrite: value, fix: { pointer: '/description', value } }),
  }
}

/** Whether a code span has markup inside of it, or a link a target that would be lost. */
function losesContent(text: string): boolean {
  return /```|``|~~~|`[^`\n]*[*_~<>[\]()][^`\n]*`|\]\(|'`'|<(?:br|td|tr|th|table)\b/i.test(text)
}
