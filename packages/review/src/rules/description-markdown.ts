import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { findMarkdown, hasHeading, withoutMarkdown } from './support/markdown.ts'

const longestFixed = 20_000

export const descriptionMarkdown: Rule = defineRule(
  'description-markdown',
  'warning',
  'The description is plain text.',
  function* (tool) {
    const text = tool.description ?? ''
    const found = findMarkdown(text)
    if (found === undefined) return
    const value = withoutMarkdown(text)
    yield {
      pointer: '/description',
      message: `the description has ${found.kind} in it: ${quote(found.phrase)}`,
      rewrite: value,
      // Only where the marks go and every word stays.
      ...(text.length <= longestFixed &&
        value !== '' &&
        !hasHeading(text) && { fix: { pointer: '/description', value } }),
    }
  },
)
