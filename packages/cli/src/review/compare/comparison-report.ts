import { shortPath } from '../../short-path.ts'
import { count, cut } from '../../terminal.ts'
import { messageWithCount } from '../group-lines.ts'
import { code, plain, takeWhileFits } from '../markdown-text.ts'
import { hiddenNotes, type Report, totalsLine } from '../review-report.ts'
import { body, type Paint, painter, severityStyles, type TextOptions, wrapLines } from '../text-style.ts'
import type { Change, Comparison } from './compare-reports.ts'
import { comparisonSummary, gradeChange, shownChange, suppressedLines } from './shown-changes.ts'

/** Without `--all`. */
const maxChanges = 20
const maxFindings = 4

/** `--compare`: what differs from an earlier report. */
export function textComparison({ sets }: Report, comparison: Comparison, options: TextOptions): string {
  const paint = painter(options)
  const { servers, tools, file } = comparison
  const changes = [...servers, ...tools]
  const shown = options.all ? changes : changes.slice(0, maxChanges)
  const notes = hiddenNotes(sets, options.strict)
  const wrapped = (text: string): string[] => wrapLines(text, options.width, '', '  ')
  const lines = [
    ...shown.flatMap((change) => [...changeLines(change, options, paint), '']),
    ...(changes.length > shown.length
      ? [paint('dim', `… and ${count(changes.length - shown.length, 'more change')}; --all shows them`), '']
      : []),
    ...suppressedLines(sets)
      .slice(0, maxChanges)
      .flatMap((line) => body(`suppressed error in ${line}`, options, '', '  ', 2)),
    ...wrapped(`compared with ${shortPath(file)}: ${comparisonSummary(comparison, options.strict)}`).map(
      (line) => paint('bold', line),
    ),
    ...wrapped(totalsLine(sets, options.strict)),
    ...(notes === null ? [] : wrapped(notes)),
  ]
  return `${lines.join('\n')}\n`
}

function changeLines(change: Change, options: TextOptions, paint: Paint): string[] {
  const { name, kind, newFindings, fixedFindings } = shownChange(change, options.strict)
  const grades = gradeChange(change)
  const ending = kind === 'changed' ? '' : `  ${kind}`
  const shownName = cut(name.slice(0, 500), Math.max(12, options.width - grades.length - ending.length - 2))
  const limit = options.all ? Number.POSITIVE_INFINITY : maxFindings
  const lines = [`${paint('bold', `${grades}  ${shownName}`)}${ending}`]
  for (const finding of newFindings.slice(0, limit)) {
    const text = `new ${finding.severity} ${cut(finding.rule, 50)}: ${messageWithCount(finding)}`
    const [first = '', ...rest] = body(text, options, '  ', '    ', 3)
    lines.push(paint(severityStyles[finding.severity], first), ...rest)
  }
  if (newFindings.length > limit) lines.push(paint('dim', `  … and ${newFindings.length - limit} more new`))
  for (const { rule, severity, message } of fixedFindings.slice(0, limit)) {
    const text = `fixed ${severity} ${cut(rule, 50)}: ${message}`
    lines.push(...body(text, options, '  ', '    ', 2).map((line) => paint('green', line)))
  }
  if (fixedFindings.length > limit)
    lines.push(paint('dim', `  … and ${fixedFindings.length - limit} more fixed`))
  return lines
}

const maxLength = 20_000
const maxListed = 5

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
      .slice(0, maxListed)
      .map(
        (finding) =>
          `- new **${finding.severity}** ${code(finding.rule)} in ${tool}: ${plain(messageWithCount(finding))}`,
      ),
    ...(newFindings.length > maxListed
      ? [`- … and ${newFindings.length - maxListed} more new in ${tool}`]
      : []),
    ...fixedFindings
      .slice(0, maxListed)
      .map(({ rule, message }) => `- fixed ${code(rule)} in ${tool}: ${plain(message)}`),
    ...(fixedFindings.length > maxListed
      ? [`- … and ${fixedFindings.length - maxListed} more fixed in ${tool}`]
      : []),
  ]
}

function more(number: number, word: string): string[] {
  return number > 0 ? [`${count(number, `more ${word}`)} not shown.`] : []
}
