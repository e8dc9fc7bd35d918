import { count } from '../terminal.ts'
import {
  type FindingGroup,
  type GroupedProblem,
  groupFindings,
  groupSize,
  listTools,
  messageWithCount,
} from './group-lines.ts'
import { code, codeLocation, plain, takeWhileFits } from './markdown-text.ts'
import { fixesThatRaise } from './raise-score.ts'
import {
  hiddenNotes,
  judgeLine,
  publishedNotes,
  type Report,
  shownFindings,
  suppressedErrors,
  totalsLine,
} from './review-report.ts'
import type { ReportedSet, ReportedTool } from './review-source.ts'
import type { TextOptions } from './text-style.ts'

/** Below the limit of a comment on GitHub (65,536), and short enough to post. */
const maxLength = 60_000
/** For the parts of the report other than its sets. */
const reserved = 4_000
const maxSets = 40

/** `all`: every problem of a rule, as far as there is room. */
type MarkdownOptions = Pick<TextOptions, 'all' | 'strict'>

/** `--markdown`: for a job summary or a comment; below 60,000 characters. */
export function markdownReport({ sets, stale, judge }: Report, options: MarkdownOptions): string {
  const { strict } = options
  const maxSections = Math.min(sets.length, maxSets)
  const notes = [hiddenNotes(sets, strict), judge && judgeLine(judge), publishedNotes(sets)].filter(
    (line) => line !== null,
  )
  let room = maxLength - reserved
  const sections = sets.slice(0, maxSections).map((set, index) => {
    const text = `${section(set, Math.floor(room / (maxSections - index)), options)}\n`
    room -= text.length + 1
    return text
  })
  const shown = takeWhileFits(sections, maxLength - reserved)
  const parts = [
    '## Tool review',
    [`${plain(totalsLine(sets, strict))}.`, ...notes.map(plain)].join('\n\n'),
    ...shown.map((text) => text.trimEnd()),
    sets.length > shown.length ? `${sets.length - shown.length} more servers are not shown.` : '',
    staleSection(stale ?? []),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function section(set: ReportedSet, room: number, options: MarkdownOptions): string {
  const { name, server, tools } = set
  const grade = server === null ? '' : `: ${server.grade} (${server.score.toFixed(2)})`
  const fixes = fixesThatRaise(set).map((fix, index) => `${index + 1}. ${plain(fix)}`)
  const head = [
    `### ${plain(name.slice(0, 200))}${grade}`,
    ...(fixes.length > 0 ? [`What would raise it most:\n\n${fixes.join('\n')}`] : []),
  ].join('\n\n')
  // What one part does not need, the other can use.
  const tableRoom = Math.max(0, (room - head.length) / 3)
  const table = toolTable(tools, tableRoom, options)
  const found = findingBlocks(set, room - head.length - table.length - 10, options)
  return [head, ...found, table].join('\n\n')
}

/** The findings by rule; those that do not fit are counted. */
function findingBlocks(set: ReportedSet, room: number, options: MarkdownOptions): string[] {
  const groups = groupFindings(set, options.strict)
  const suppressed = suppressedBlock(set.tools)
  const blocks = groups.map((group) => `${groupBlock(group, options)}\n`)
  const shown = takeWhileFits(blocks, room - suppressed.join('').length - restLength)
  const left = groups.slice(shown.length)
  return [...shown.map((block) => block.trimEnd()), ...(left.length > 0 ? [restOf(left)] : []), ...suppressed]
}

const restLength = 500

function restOf(groups: readonly FindingGroup[]): string {
  const findings = groups.reduce((sum, group) => sum + group.findings, 0)
  const listed = groups.slice(0, 10).map(({ rule, findings: number }) => `${code(rule)} ${number}`)
  return `${count(findings, 'more finding')} of ${count(groups.length, 'rule')} not shown: ${listed.join(', ')}.`
}

const maxGroupLength = 6_000

function groupBlock(group: FindingGroup, { all }: MarkdownOptions): string {
  const items = group.problems.map(problemItem)
  const shown = takeWhileFits(all ? items : items.slice(0, 5), maxGroupLength)
  const rest = group.problems
    .slice(shown.length)
    .reduce((sum, { tools }) => sum + Math.max(1, tools.length), 0)
  const more = rest > 0 ? [`- … and ${count(rest, 'more finding')}`] : []
  return `**${group.severity}** ${code(group.rule)}: ${groupSize(group)}\n\n${[...shown, ...more].join('\n')}`
}

function problemItem({ finding, tools, rewrite }: GroupedProblem): string {
  const isShared = tools.length === 0
  const names = isShared ? '' : `${listTools(tools.slice(0, 6).map(code).concat(tools.slice(6)), 5)}: `
  const at = finding.location === null || tools.length > 1 ? '' : ` (${codeLocation(finding.location)})`
  const added = rewrite === null ? '' : `\n  ${code(`+ ${rewrite}`)}`
  return `- ${names}${plain(messageWithCount(finding, isShared))}${at}${added}`
}

function suppressedBlock(tools: readonly ReportedTool[]): string[] {
  const items = tools.flatMap(({ name, suppressed }) =>
    suppressedErrors(suppressed).map(
      ({ finding, reason }) =>
        `- ${code(name)}: suppressed ${code(finding.rule)}: ${plain(finding.message)}\n  (${plain(reason)})`,
    ),
  )
  if (items.length === 0) return []
  const shown = takeWhileFits(items, maxGroupLength)
  const more = items.length > shown.length ? [`- … and ${items.length - shown.length} more`] : []
  return [[...shown, ...more].join('\n')]
}

function toolTable(tools: readonly ReportedTool[], room: number, { strict }: MarkdownOptions): string {
  const head = ['| Tool | Grade | Score | Findings | Location |', '| --- | --- | --- | --- | --- |']
  const rows = tools.map((tool) => {
    const found = shownFindings(tool.findings, strict).length
    return `| ${code(tool.name)} | ${tool.grade} | ${tool.score.overall.toFixed(2)} | ${found} | ${codeLocation(tool.location)} |`
  })
  const shown = takeWhileFits(rows, room - 200)
  const omitted = rows.length - shown.length
  const more =
    omitted > 0 ? [`\n${count(omitted, 'more tool')} ${omitted === 1 ? 'is' : 'are'} not shown.`] : []
  return [...head, ...shown, ...more].join('\n')
}

function staleSection(stale: NonNullable<Report['stale']>): string {
  if (stale.length === 0) return ''
  const lines = stale.map(({ tool, rule, pointer }) => `- ${code(`${tool} ${rule} ${pointer}`)}`)
  const shown = takeWhileFits(lines, reserved / 2)
  const more = lines.length > shown.length ? [`- … and ${lines.length - shown.length} more`] : []
  return `### No longer found\n\nThese entries can be removed from the baseline:\n\n${[...shown, ...more].join('\n')}`
}
