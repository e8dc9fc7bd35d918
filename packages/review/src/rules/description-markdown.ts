import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { findMarkdown, hasHeading, stripMarkdown } from './support/markdown.ts'

const maxFixableLength = 20_000

export const descriptionMarkdown: Rule = defineRule(
  'description-markdown',
  { own: 'warning', published: 'note' },
  'The description is plain text.',
  function* (tool) {
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
  },
)

/** Whether a code span has markup inside of it, or a link a target that would be lost. */
function losesContent(text: string): boolean {
  return /```|``|~~~|`[^`\n]*[*_~<>[\]()][^`\n]*`|\]\(|'`'|<(?:br|td|tr|th|table)\b/i.test(text)
}
