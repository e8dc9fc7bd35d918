import { count } from '../../terminal.ts'
import { messageWithCount } from '../group-findings.ts'
import { code, plain, takeWhileFits } from '../markdown-text.ts'
import { hiddenNotes, type Report, totalsLine } from '../review-report.ts'
import type { Change, Comparison } from './compare-reports.ts'
import { comparisonSummary, gradeChange, shownChange, suppressedLines } from './shown-changes.ts'

const maxLength = 20_000
const maxFindings = 5

/** `--compare` with `--markdown`: a short comment for a pull request. */
export function markdownComparison({ sets }: Report, comparison: Comparison, strict: boolean): string {
  const { servers, tools } = comparison
  const rows = [...servers, ...tools].map((change) => row(shownChange(change, strict)))
  const shown = takeWhileFits(rows, maxLength / 4)
  const items = tools
    .concat(servers)
    .map((change) => shownChange(change, strict))
    .flatMap(findingItems)
  items.push(...suppressedLines(sets).map((line) => `- suppressed error in ${plain(line)}`))
  const shownItems = takeWhileFits(items, maxLength / 2)
  const notes = hiddenNotes(sets, strict)
  const parts = [
    '## Tool review: changes',
    `${plain(comparisonSummary(comparison, strict))}.\n${plain(totalsLine(sets, strict))}.`,
    ...(rows.length === 0
      ? []
      : [
          ['| Tool | Change | Grade | New | Fixed |', '| --- | --- | --- | --- | --- |', ...shown].join('\n'),
        ]),
    ...more(rows.length - shown.length, 'change'),
    ...(shownItems.length === 0 ? [] : [shownItems.join('\n')]),
    ...more(items.length - shownItems.length, 'finding'),
    ...(notes === null ? [] : [plain(notes)]),
  ]
  return `${parts.join('\n\n')}\n`
}

function row(change: Change): string {
  const { name, kind, newFindings, fixedFindings } = change
  return `| ${code(name.slice(0, 200))} | ${kind} | ${gradeChange(change)} | ${newFindings.length} | ${fixedFindings.length} |`
}

function findingItems({ name, newFindings, fixedFindings }: Change): string[] {
  const tool = code(name.slice(0, 200))
  return [
    ...newFindings
      .slice(0, maxFindings)
      .map(
        (finding) =>
          `- new **${finding.severity}** ${code(finding.rule)} in ${tool}: ${plain(messageWithCount(finding))}`,
      ),
    ...(newFindings.length > maxFindings
      ? [`- … and ${newFindings.length - maxFindings} more new in ${tool}`]
      : []),
    ...fixedFindings
      .slice(0, maxFindings)
      .map(({ rule, message }) => `- fixed ${code(rule)} in ${tool}: ${plain(message)}`),
    ...(fixedFindings.length > maxFindings
      ? [`- … and ${fixedFindings.length - maxFindings} more fixed in ${tool}`]
      : []),
  ]
}

function more(number: number, word: string): string[] {
  return number > 0 ? [`${count(number, `more ${word}`)} not shown.`] : []
}
