import type { Severity } from '@curfew/review'
import { count, cut, widthOf } from '../terminal.ts'
import { shownFindings, suppressedErrors } from './review-report.ts'
import { type ReportedFinding, type ReportedSet, severities } from './review-source.ts'
import { body, type Paint, severityStyles, type TextOptions } from './text-style.ts'

/** The most problems of a rule that are shown; fewer if they do not fit. */
const maxProblems = [4, 3, 2, 1]
const maxNames = 3

/** The findings of a set, grouped by rule, in at most `maxLines`. */
export function groupLines(set: ReportedSet, maxLines: number, options: TextOptions, paint: Paint): string[] {
  const groups = groupFindings(set, options.strict)
  const suppressed = suppressedLines(set, options, paint)
  const room = maxLines - suppressed.length
  let blocks: string[][] = []
  for (const max of maxProblems) {
    blocks = groups.map((group) => blockOf(group, max, options, paint))
    if (blocks.flat().length <= room) return [...blocks.flat(), ...suppressed]
  }
  return [...cutBlocks(groups, blocks, room, options), ...suppressed]
}

function blockOf(group: FindingGroup, max: number, options: TextOptions, paint: Paint): string[] {
  const { rule, severity, problems } = group
  // The remaining one takes as much space as the line that mentions it.
  const shown = problems.length <= max + 1 ? problems : problems.slice(0, max)
  const rest = problems.slice(shown.length).reduce((sum, { tools }) => sum + tools.length, 0)
  const size = groupSize(group)
  const fits = widthOf(`${severity} ${cut(rule, 50)}  ${size}`) <= options.width
  return [
    `${paint(severityStyles[severity], severity)} ${cut(rule, 50)}${fits ? paint('dim', `  ${size}`) : ''}`,
    ...(fits ? [] : [paint('dim', `  ${size}`)]),
    ...shown.flatMap((problem) => problemLines(problem, options)),
    ...(rest > 0 ? [paint('dim', `  … and ${count(rest, 'more finding')}`)] : []),
  ]
}

function problemLines({ finding, tools }: GroupedProblem, options: TextOptions): string[] {
  const isShared = tools.length === 0
  const isNarrow = options.width < 60
  const max = isNarrow ? 1 : maxNames
  const names = tools.slice(0, max + 1).map((name) => cut(name.slice(0, 500), 48))
  const listed = listTools([...names, ...tools.slice(names.length)], max)
  const message = messageWithCount(finding, isShared)
  return body(isShared ? message : `${listed}: ${message}`, options, '  ', '    ', isNarrow ? 4 : 2)
}

/** The groups that fit, and the number of findings in the others. */
function cutBlocks(
  groups: readonly FindingGroup[],
  blocks: readonly (readonly string[])[],
  maxLines: number,
  { width }: TextOptions,
): string[] {
  const lines: string[] = []
  let shown = 0
  while (shown < blocks.length && lines.length + blocks[shown]!.length < maxLines)
    lines.push(...blocks[shown++]!)
  const rest = groups.slice(shown)
  const findings = rest.reduce((sum, group) => sum + group.findings, 0)
  return [
    ...lines,
    cut(`… and ${count(findings, 'more finding')} of ${count(rest.length, 'other rule')}`, width),
  ]
}

function suppressedLines({ tools }: ReportedSet, options: TextOptions, paint: Paint): string[] {
  const errors = tools.flatMap(({ name, suppressed }) =>
    suppressedErrors(suppressed).map(({ finding, reason }) => ({ name, rule: finding.rule, reason })),
  )
  const shown = errors.slice(0, maxNames)
  const lines = shown.flatMap(({ name, rule, reason }) =>
    body(`suppressed ${rule}: ${cut(name.slice(0, 500), 48)}: ${reason}`, options, '', '  ', 2),
  )
  if (errors.length > shown.length) lines.push(`… and ${errors.length - shown.length} more suppressed errors`)
  return lines.map((line) => paint('dim', line))
}

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
