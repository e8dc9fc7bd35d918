import { shortPath } from '../short-path.ts'
import { oneLine } from '../terminal.ts'
import { newFindings, suppressedErrors, type Report, totalsLine } from './report.ts'
import type { Place, ReportedFinding, ReportedSet, ReportedTool } from './review-source.ts'

/** What a comment or a summary may hold. */
const maxTools = 100
const maxTextLength = 1_000

/** For the summary of a job, or a comment. */
export function markdownReport({ sets, stale }: Report, all: boolean): string {
  const parts = ['## Tool review', `${plain(totalsLine(sets))}.`, ...sets.map((set) => section(set, all))]
  if (stale !== null && stale.length > 0) {
    const lines = stale.map(({ tool, rule, pointer }) => `- ${code(`${tool} ${rule} ${pointer}`)}`)
    parts.push(`### No longer found\n\nThe baseline need not have these any more:\n\n${lines.join('\n')}`)
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function section({ name, server, tools }: ReportedSet, all: boolean): string {
  const grade = server === null ? '' : `: ${server.grade} (${server.score.toFixed(2)})`
  const shown = all ? tools : tools.slice(0, maxTools)
  const rows = shown.map((tool) => {
    const found = newFindings(tool.findings).length
    return `| ${code(tool.name)} | ${tool.grade} | ${tool.score.overall.toFixed(2)} | ${found} | ${placeOf(tool.place)} |`
  })
  const table = ['| Tool | Grade | Score | Findings | Place |', '| --- | --- | --- | --- | --- |', ...rows]
  const found = tools.filter(
    ({ findings, suppressed }) => newFindings(findings).length + suppressedErrors(suppressed).length > 0,
  )
  const shownFound = all ? found : found.slice(0, maxTools)
  const left = tools.length - shown.length
  const more = left > 0 ? [`${left} more tools are not shown; \`--all\` shows them.`] : []
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

function item({ rule, severity, message, rewrite, place }: ReportedFinding): string {
  const at = place === null ? '' : ` (${placeOf(place)})`
  return `- **${severity}** ${code(rule)}${at}: ${plain(message)}\n  ${code(`+ ${rewrite}`)}`
}

function placeOf(place: Place | null): string {
  return place === null ? '' : code(`${shortPath(place.file)}:${place.line}`)
}

/** What others wrote must stay what it is: no markup, no mention of anybody. */
function plain(text: string): string {
  return shorten(text).replace(/[\\`*_{}[\]()<>#+!|~@&]/g, (character) =>
    character === '@' || character === '<' || character === '&'
      ? `&#${character.codePointAt(0)};`
      : `\\${character}`,
  )
}

/** Fenced with more backticks than it contains; a bar would end a cell of the table. */
function code(text: string): string {
  const line = shorten(text).replaceAll('|', '\\|')
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 && line !== '' ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}

function shorten(text: string): string {
  return text.length <= maxTextLength ? oneLine(text) : `${oneLine(text.slice(0, maxTextLength))}…`
}
