import type { Severity } from '@curfew/review'
import { shownFindings } from './review-report.ts'
import { type ReportedFinding, type ReportedSet, severities } from './review-source.ts'

/** The findings of one rule in all tools of a set. */
export interface FindingGroup {
  readonly rule: string
  readonly severity: Severity
  readonly findings: number
  /** The number of tools; 0 if it concerns the server as a whole. */
  readonly tools: number
  readonly problems: readonly GroupedProblem[]
}

export interface GroupedProblem {
  /** Of the first tool. */
  readonly finding: ReportedFinding
  /** The tools that have it; none if it concerns the server as a whole. */
  readonly tools: readonly string[]
  /** `null` also if it differs between the tools. */
  readonly rewrite: string | null
}

/** Groups what is shown by rule and message: the worst severity first, then the most frequent. */
export function groupFindings({ findings, tools }: ReportedSet, strict: boolean): FindingGroup[] {
  const groups = new Map<string, { readonly finding: ReportedFinding; readonly tool: string | null }[]>()
  const add = (found: readonly ReportedFinding[], tool: string | null): void => {
    for (const finding of shownFindings(found, strict)) {
      const key = `${finding.severity} ${finding.rule}`
      const group = groups.get(key) ?? []
      groups.set(key, group)
      group.push({ finding, tool })
    }
  }
  add(findings, null)
  for (const tool of tools) add(tool.findings, tool.name)
  return [...groups.values()]
    .map((group) => ({
      rule: group[0]!.finding.rule,
      severity: group[0]!.finding.severity,
      findings: group.length,
      tools: new Set(group.flatMap(({ tool }) => tool ?? [])).size,
      problems: problemsOf(group),
    }))
    .sort(
      (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.findings - a.findings,
    )
}

function problemsOf(
  group: readonly { readonly finding: ReportedFinding; readonly tool: string | null }[],
): GroupedProblem[] {
  const byMessage = new Map<string, { finding: ReportedFinding; tools: string[]; rewrite: string | null }>()
  for (const { finding, tool } of group) {
    const known = byMessage.get(finding.message) ?? { finding, tools: [], rewrite: finding.rewrite }
    byMessage.set(finding.message, known)
    if (tool !== null) known.tools.push(tool)
    if (known.rewrite !== finding.rewrite) known.rewrite = null
  }
  return [...byMessage.values()].sort((a, b) => b.tools.length - a.tools.length)
}

/** `7 findings in 5 tools`. */
export function groupSize({ findings, tools }: FindingGroup): string {
  if (tools === 0) return 'whole server'
  const where = tools === 1 ? '1 tool' : `${tools} tools`
  return findings === tools ? where : `${findings} findings in ${where}`
}

/** `message (3 places)`, unless the message has the number. */
export function messageWithCount({ message, count }: ReportedFinding, isShared = false): string {
  const isStated = isShared || message.startsWith(`${count} `)
  return count > 1 && !isStated ? `${message} (${count} places)` : message
}

/** `a, b and 3 more`. */
export function listTools(tools: readonly string[], max: number): string {
  // One more would take as much space as its name.
  const shown = tools.length <= max + 1 ? tools : tools.slice(0, max)
  const more = tools.length - shown.length
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`
}
