import { clip, maxTextLength, printable } from '../../language/printable.ts'
import { stripHidden } from '../../language/strip-hidden.ts'
import type { Finding, ReviewedTool, Rule, Severity } from '../../review-types.ts'

/** A finding without the rule that reports it. */
export type Problem = Omit<Finding, 'rule' | 'severity' | 'count' | 'rewrite'> & {
  /** Only if it is certain. */
  readonly rewrite?: string
  /** Identical problems of one tool are merged into one finding. @default the message */
  readonly sameAs?: string
}

interface Severities {
  readonly own: Severity
  readonly published: Severity
}

/** The maximum per rule and tool, so that a huge schema does not flood the report. */
const maxFindings = 100

/** Creates a rule; strings in its findings are bounded and printable. */
export function defineRule(
  id: string,
  severity: Severity | Severities,
  summary: string,
  check: (tool: ReviewedTool, siblings: readonly ReviewedTool[]) => Iterable<Problem>,
): Rule {
  const { own, published } = typeof severity === 'string' ? { own: severity, published: severity } : severity
  return {
    id,
    severity: own,
    publishedSeverity: published,
    summary,
    check(tool, siblings) {
      const findings = new Map<string, Finding>()
      for (const { sameAs, ...problem } of check(tool, siblings)) {
        const message = printable(problem.message)
        const key = sameAs ?? message
        const known = findings.get(key)
        if (known !== undefined) {
          findings.set(key, { ...known, count: known.count + 1 })
          continue
        }
        const rewrite =
          problem.rewrite === undefined ? null : stripHidden(clip(problem.rewrite, maxTextLength))
        findings.set(key, {
          ...problem,
          rule: id,
          severity: tool.curfew === undefined ? published : own,
          message,
          rewrite,
          count: 1,
        })
        if (findings.size === maxFindings) break
      }
      return [...findings.values()]
    },
  }
}
