import { clip, maxTextLength, printable } from '../../language/printable.ts'
import { stripHidden } from '../../language/strip-hidden.ts'
import type { Finding, ReviewedTool, Rule, Severity } from '../../review-types.ts'

/** A finding without the rule that reports it. */
export type Problem = Omit<Finding, 'rule' | 'severity'>

/** The maximum per rule and tool, so that a huge schema does not flood the report. */
const maxFindings = 100

/** Creates a rule; strings in its findings are bounded and printable. */
export function defineRule(
  id: string,
  severity: Severity,
  summary: string,
  check: (tool: ReviewedTool, siblings: readonly ReviewedTool[]) => Iterable<Problem>,
): Rule {
  return {
    id,
    severity,
    summary,
    check(tool, siblings) {
      const findings: Finding[] = []
      for (const problem of check(tool, siblings)) {
        const message = printable(problem.message)
        const rewrite = stripHidden(clip(problem.rewrite, maxTextLength))
        findings.push({ ...problem, rule: id, severity, message, rewrite })
        if (findings.length === maxFindings) break
      }
      return findings
    },
  }
}
