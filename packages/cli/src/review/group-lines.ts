import { count, cut, widthOf } from '../terminal.ts'
import {
  type FindingGroup,
  type GroupedProblem,
  groupFindings,
  groupSize,
  listTools,
  messageWithCount,
} from './group-findings.ts'
import { suppressedErrors } from './review-report.ts'
import type { ReportedSet } from './review-source.ts'
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
