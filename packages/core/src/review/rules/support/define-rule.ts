import type { Finding, ReviewedTool, Rule, Severity } from '../../review-types.ts'
import { hiddenCharacters, withoutHidden } from './hidden-characters.ts'

/** What a rule has found; which rule it was is added here. */
export type Problem = Omit<Finding, 'rule' | 'severity'>

/** So many of one kind are told of one tool: a schema of a thousand parameters is not a report of a thousand lines. */
const mostFindings = 100
const longestText = 2_000
const oneLine = /^[ -~]*$/

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

/** A report goes to terminals: what a definition says must not steer them. */
export function printable(text: string): string {
  const short = clip(text, longestText)
  if (oneLine.test(short)) return short
  return short.replace(hiddenCharacters, codePoint).replace(/\s+/g, ' ')
}

export function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

export function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text
}

export function quote(text: string): string {
  return `"${clip(text, 80)}"`
}
