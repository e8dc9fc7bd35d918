import { shortPath } from '../short-path.ts'
import { oneLine } from '../terminal.ts'
import { newFindings, type Report, suppressedErrors, totalsLine } from './review-report.ts'
import type { Location, ReportedFinding, ReportedSet, ReportedTool } from './review-source.ts'

/** Keeps the report below the size limits of comments and job summaries. */
const maxTools = 100
const maxTextLength = 1_000

/** `--markdown`: for a job summary or a comment. */
export function markdownReport({ sets, stale }: Report, all: boolean): string {
  const parts = ['## Tool review', `${plain(totalsLine(sets))}.`, ...sets.map((set) => section(set, all))]
  if (stale !== null && stale.length > 0) {
    const lines = stale.map(({ tool, rule, pointer }) => `- ${code(`${tool} ${rule} ${pointer}`)}`)
    parts.push(
      `### No longer found\n\nThese entries can be removed from the baseline:\n\n${lines.join('\n')}`,
    )
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function section({ name, server, tools }: ReportedSet, all: boolean): string {
  const grade = server === null ? '' : `: ${server.grade} (${server.score.toFixed(2)})`
  const shown = all ? tools : tools.slice(0, maxTools)
  const rows = shown.map((tool) => {
    const found = newFindings(tool.findings).length
    return `| ${code(tool.name)} | ${tool.grade} | ${tool.score.overall.toFixed(2)} | ${found} | ${formatLocation(tool.location)} |`
  })
  const table = ['| Tool | Grade | Score | Findings | Location |', '| --- | --- | --- | --- | --- |', ...rows]
  const found = tools.filter(
    ({ findings, suppressed }) => newFindings(findings).length + suppressedErrors(suppressed).length > 0,
  )
  const shownFound = all ? found : found.slice(0, maxTools)
  const omitted = tools.length - shown.length
  const more = omitted > 0 ? [`${omitted} more tools are not shown; \`--all\` shows them.`] : []
  return [`### ${plain(name)}${grade}`, table.join('\n'), ...shownFound.map(details), ...more].join('\n\n')
}

function details({ name, findings, suppressed }: ReportedTool): string {
  const items = [
    ...newFindings(findings).map(item),
    ...suppressedErrors(suppressed).map(
      ({ finding, reason }) =>
        `- suppressed ${code(finding.rule)}: ${plain(finding.message)}\n  (${plain(reason)})`,
    ),
  ]
  return `#### ${code(name)}\n\n${items.join('\n')}`
}

function item({ rule, severity, message, rewrite, location }: ReportedFinding): string {
  const at = location === null ? '' : ` (${formatLocation(location)})`
  return `- **${severity}** ${code(rule)}${at}: ${plain(message)}${rewrite === null ? '' : `\n  ${code(`+ ${rewrite}`)}`}`
}

function formatLocation(location: Location | null): string {
  return location === null ? '' : code(`${shortPath(location.file)}:${location.line}`)
}

/** Escapes strings from definitions: no markup and no mentions. */
function plain(text: string): string {
  return shorten(text).replace(/[\\`*_{}[\]()<>#+!|~@&]/g, (character) =>
    character === '@' || character === '<' || character === '&'
      ? `&#${character.codePointAt(0)};`
      : `\\${character}`,
  )
}

/** A code span with more backticks than the string contains; a bar would end the table cell. */
function code(text: string): string {
  const line = shorten(text).replaceAll('|', '\\|')
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 && line !== '' ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}

function shorten(text: string): string {
  return text.length <= maxTextLength ? oneLine(text) : `${oneLine(text.slice(0, maxTextLength))}…`
}
