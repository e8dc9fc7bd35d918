import { maxTextLength, printable } from '../../language/printable.ts'
import { stripHidden } from '../../language/strip-hidden.ts'
import type { Finding, ReviewedTool, Rule, Severity } from '../../review-types.ts'

/** A finding without the rule that reports it. */
export type Problem = Pick<Finding, 'message' | 'pointer' | 'fix'> & {
  /** Only if it is certain. */
  readonly rewrite?: string | undefined
  /** Milder than the rule's. */
  readonly severity?: Severity
  /** @default 1 */
  readonly count?: number
}

export type RuleDefinition = readonly [
  severity: Severity | { readonly own: Severity; readonly published: Severity },
  summary: string,
  check: (tool: ReviewedTool, siblings: readonly ReviewedTool[]) => Iterable<Problem>,
]

/** The maximum per rule and tool, so that a huge schema does not flood the report. */
const maxFindings = 100

/** Creates a rule. Strings in its findings are bounded and printable, and identical ones are counted. */
export function defineRule(id: string, ...[severity, summary, check]: RuleDefinition): Rule {
  const { own, published } = typeof severity === 'string' ? { own: severity, published: severity } : severity
  return {
    id,
    severity: own,
    publishedSeverity: published,
    summary,
    check(tool, siblings) {
      const findings = new Map<string, Finding>()
      for (const problem of check(tool, siblings)) {
        const { count = 1, severity = tool.curfew === undefined ? published : own } = problem
        const message = printable(problem.message)
        const known = findings.get(message)
        if (known !== undefined) {
          findings.set(message, { ...known, count: known.count + count })
          continue
        }
        // A part of a rewrite would lose the rest.
        const isWhole = problem.rewrite !== undefined && problem.rewrite.length <= maxTextLength
        const rewrite = isWhole ? stripHidden(problem.rewrite!) : null
        findings.set(message, { ...problem, rule: id, severity, message, rewrite, count })
        if (findings.size === maxFindings) break
      }
      return [...findings.values()]
    },
  }
}
