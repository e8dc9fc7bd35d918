import { withoutHidden } from '../../language/hidden-characters.ts'
import { clip, longestText, printable } from '../../language/printable.ts'
import type { Finding, ReviewedTool, Rule, Severity } from '../../review-types.ts'

/** What a rule has found; which rule it was is added here. */
export type Problem = Omit<Finding, 'rule' | 'severity'>

/** So many of one kind are told of one tool: a schema of a thousand parameters is not a report of a thousand lines. */
const mostFindings = 100

/** A rule of which only the check is its own. */
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
        const rewrite = withoutHidden(clip(problem.rewrite, longestText))
        findings.push({ ...problem, rule: id, severity, message, rewrite })
        if (findings.length === mostFindings) break
      }
      return findings
    },
  }
}
