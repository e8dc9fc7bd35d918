import { type Dimension, type DimensionScore, formatEvidence } from '@curfew/review'
import { shortPath } from '../short-path.ts'
import { count, cut, oneLine, widthOf } from '../terminal.ts'
import { messageWithCount } from './group-lines.ts'
import { shownFindings, suppressedErrors } from './review-report.ts'
import type { Location, ReportedFinding, ReportedTool } from './review-source.ts'
import { body, gradeStyles, type Paint, severityStyles, type TextOptions } from './text-style.ts'

/** Without `--all`. */
const maxFindings = 6

/** One tool with its findings and rewrites, and, if `withScore`, where it loses points. */
export function toolLines(
  tool: ReportedTool,
  withScore: boolean,
  options: TextOptions,
  paint: Paint,
): string[] {
  const { name, grade, score, location, suppressed } = tool
  const mark = `${grade} ${score.overall.toFixed(2)}`
  const shownName = cut(name.slice(0, 500), Math.max(20, options.width - mark.length - 2))
  const at = location === null ? '' : formatLocation(location)
  const fits = widthOf(`${mark}  ${shownName}  ${at}`) <= options.width
  const lines = [
    `${paint(['bold', gradeStyles[grade]], mark)}  ${paint('bold', shownName)}${fits && at !== '' ? `  ${paint('dim', at)}` : ''}`,
  ]
  if (!fits) lines.push(...body(at, options, '  ', '    ').map((line) => paint('dim', line)))
  const fresh = shownFindings(tool.findings, options.strict)
  const known = options.all ? tool.findings.filter((finding) => finding.known) : []
  const shown = options.all ? [...fresh, ...known] : fresh.slice(0, maxFindings)
  for (const [index, finding] of shown.entries()) {
    lines.push(...findingLines(finding, location, options, paint))
    // Consecutive findings often have the same rewrite.
    if (finding.rewrite === null || shown[index + 1]?.rewrite === finding.rewrite) continue
    lines.push(...body(finding.rewrite, options, '  + ', '    ').map((line) => paint('green', line)))
  }
  if (!options.all && fresh.length > shown.length) {
    lines.push(
      paint('dim', `  … and ${count(fresh.length - shown.length, 'more finding')}; --all shows them`),
    )
  }
  for (const { finding, reason } of options.all ? suppressed : suppressedErrors(suppressed)) {
    const text = `suppressed ${finding.rule}: ${reason}`
    lines.push(...body(text, options, '  ', '    ').map((line) => paint('dim', line)))
  }
  return withScore ? [...lines, ...scoreLines(tool, options, paint)] : lines
}

function findingLines(
  finding: ReportedFinding,
  toolLocation: Location | null,
  options: TextOptions,
  paint: Paint,
): string[] {
  const { rule, severity, location, known } = finding
  const line = location === null || location.line === toolLocation?.line ? '' : `  line ${location.line}`
  const notes = `${line}${known ? '  in the baseline' : ''}`
  return [
    `  ${paint(severityStyles[severity], severity)} ${cut(rule, 50)}${paint('dim', notes)}`,
    ...body(messageWithCount(finding), options, '    ', '    '),
  ]
}

/** The dimensions below 3; with `--all` every dimension with its evidence. */
function scoreLines({ score }: ReportedTool, options: TextOptions, paint: Paint): string[] {
  const names = options.all ? (Object.keys(score.dimensions) as Dimension[]) : score.smells
  const namesByText = new Map<string, Dimension[]>()
  for (const name of names) {
    const text = dimensionText(score.dimensions[name], options.all)
    namesByText.set(text, [...(namesByText.get(text) ?? []), name])
  }
  return [...namesByText].flatMap(([text, dimensions]) => {
    const isWeak = dimensions.some((name) => score.smells.includes(name))
    return body(`${dimensions.join(', ')} ${text}`, options, '  ', '    ').map((line) =>
      paint(isWeak ? 'yellow' : 'dim', line),
    )
  })
}

/** `2 of 5: reasons`; without `all` only the first reason and those for points that were not earned. */
export function dimensionText({ score, evidence }: DimensionScore, all: boolean): string {
  const [first, ...others] = evidence
  const lacking = others.filter((line) => line.kind === 'points' && line.value <= 0).slice(0, 2)
  const reasons = (all ? others : lacking).map((line) =>
    all || (line.kind === 'points' && line.value < 0) ? formatEvidence(line) : line.reason,
  )
  // The score itself is already shown.
  if (first !== undefined)
    reasons.unshift(all && first.kind !== 'total' ? formatEvidence(first) : first.reason)
  const shown = `${Number(score.toFixed(1))} of 5`
  return reasons.length === 0 ? shown : `${shown}: ${reasons.join('; ')}`
}

function formatLocation({ file, line }: Location): string {
  return oneLine(`${shortPath(file)}:${line}`)
}
