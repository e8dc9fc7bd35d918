import { styleText } from 'node:util'
import {
  type Dimension,
  type DimensionScore,
  formatEvidence,
  type Grade,
  type ServerReview,
  type Severity,
} from '@curfew/review'
import { shortPath } from '../short-path.ts'
import { count, cut, oneLine, widthOf } from '../terminal.ts'
import {
  commonRules,
  newFindings,
  type Report,
  suppressedErrors,
  totalsLine,
  totalsOf,
} from './review-report.ts'
import type { Location, ReportedFinding, ReportedSet, ReportedTool } from './review-source.ts'
import { wrapLines } from './wrap-lines.ts'

export interface TextOptions {
  readonly width: number
  readonly colours: boolean
  /** Shorten nothing. */
  readonly all: boolean
}

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
type Paint = (style: Style | Style[], text: string) => string

/** Without `--all`. */
const maxTools = 20
const maxFindings = 6
const maxLines = 4

const severityStyles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', note: 'cyan' }
const gradeStyles: Readonly<Record<Grade, Style>> = { A: 'green', B: 'green', C: 'yellow', D: 'red' }

/** The default format, for a terminal. */
export function textReport(report: Report, options: TextOptions): string {
  const paint: Paint = (style, text) =>
    options.colours ? styleText(style, text, { validateStream: false }) : text
  const { sets, fixed, stale } = report
  const lines: string[] = []
  if (fixed !== null) lines.push(...fixedLines(fixed, options, paint))
  for (const set of sets) lines.push(...setLines(set, sets.length > 1, options, paint))
  lines.push(...staleLines(stale ?? [], options, paint), paint('bold', totalsLine(sets)))
  const common = commonRules(sets)
  if (common !== null) lines.push(...wrapLines(common, options.width, '', '  '))
  const { fixable } = totalsOf(sets)
  if (fixable > 0) lines.push(`${count(fixable, 'finding')} can be fixed with --fix`)
  return `${lines.join('\n')}\n`
}

function setLines(
  { name, server, tools }: ReportedSet,
  isOneOfMany: boolean,
  options: TextOptions,
  paint: Paint,
): string[] {
  const lines: string[] = isOneOfMany ? [paint('bold', `── ${oneLine(name)} ──`), ''] : []
  const hasProblem = ({ findings, suppressed, grade }: ReportedTool): boolean =>
    newFindings(findings).length > 0 || grade !== 'A' || suppressedErrors(suppressed).length > 0
  const problematic = tools.filter((tool) => options.all || hasProblem(tool))
  const shown = options.all ? problematic : problematic.slice(0, maxTools)
  for (const tool of shown) lines.push(...toolLines(tool, options, paint), '')
  if (problematic.length > shown.length) {
    lines.push(paint('dim', `… and ${problematic.length - shown.length} more tools; --all shows them`), '')
  }
  const clean = tools.filter((tool) => !options.all && !hasProblem(tool))
  if (clean.length > 0) lines.push(...cleanLines(clean, options, paint), '')
  if (server !== null) lines.push(...serverLines(server, options, paint), '')
  return lines
}

function toolLines(tool: ReportedTool, options: TextOptions, paint: Paint): string[] {
  const { name, grade, score, location, suppressed } = tool
  const mark = `${grade} ${score.overall.toFixed(2)}`
  const shownName = cut(name.slice(0, 500), Math.max(20, options.width - mark.length - 2))
  const at = location === null ? '' : formatLocation(location)
  const fits = widthOf(`${mark}  ${shownName}  ${at}`) <= options.width
  const lines = [
    `${paint(['bold', gradeStyles[grade]], mark)}  ${paint('bold', shownName)}${fits && at !== '' ? `  ${paint('dim', at)}` : ''}`,
  ]
  if (!fits) lines.push(`  ${paint('dim', at)}`)
  const added = newFindings(tool.findings)
  const shown = options.all ? tool.findings : added.slice(0, maxFindings)
  for (const [index, finding] of shown.entries()) {
    lines.push(...findingLines(finding, location, options, paint))
    // Consecutive findings often have the same rewrite.
    if (finding.rewrite === null || shown[index + 1]?.rewrite === finding.rewrite) continue
    lines.push(...body(finding.rewrite, options, '  + ', '    ').map((line) => paint('green', line)))
  }
  if (!options.all && added.length > shown.length) {
    lines.push(
      paint('dim', `  … and ${count(added.length - shown.length, 'finding')} more; --all shows them`),
    )
  }
  for (const { finding, reason } of options.all ? suppressed : suppressedErrors(suppressed)) {
    const text = `suppressed ${finding.rule}: ${reason}`
    lines.push(...body(text, options, '  ', '    ').map((line) => paint('dim', line)))
  }
  return [...lines, ...scoreLines(tool, options, paint)]
}

function findingLines(
  finding: ReportedFinding,
  toolLocation: Location | null,
  options: TextOptions,
  paint: Paint,
): string[] {
  const { rule, severity, message, location, known } = finding
  const line = location === null || location.line === toolLocation?.line ? '' : `  line ${location.line}`
  const notes = `${line}${known ? '  in the baseline' : ''}`
  return [
    `  ${paint(severityStyles[severity], severity)} ${cut(rule, 50)}${paint('dim', notes)}`,
    ...body(message, options, '    ', '    '),
  ]
}

/** The dimensions below 3; with `--all` every dimension with its evidence. */
function scoreLines({ score }: ReportedTool, options: TextOptions, paint: Paint): string[] {
  const names = options.all ? (Object.keys(score.dimensions) as Dimension[]) : score.smells
  const namesByText = new Map<string, Dimension[]>()
  for (const name of names) {
    const text = dimensionText(score.dimensions[name], options)
    namesByText.set(text, [...(namesByText.get(text) ?? []), name])
  }
  return [...namesByText].flatMap(([text, dimensions]) => {
    const isWeak = dimensions.some((name) => score.smells.includes(name))
    return body(`${dimensions.join(', ')} ${text}`, options, '  ', '    ').map((line) =>
      paint(isWeak ? 'yellow' : 'dim', line),
    )
  })
}

/** `2 of 5: reasons`; without `--all` only the first reason and those for points that were not earned. */
function dimensionText({ score, evidence }: DimensionScore, { all }: TextOptions): string {
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

function cleanLines(tools: readonly ReportedTool[], options: TextOptions, paint: Paint): string[] {
  const names = tools.map(
    ({ name, grade, score }) => `${cut(name.slice(0, 500), 60)} ${grade} ${score.overall.toFixed(2)}`,
  )
  const lines = wrapLines(`Clean: ${names.join(', ')}`, options.width, '', '  ')
  const shown = lines.length > 2 * maxLines ? lines.slice(0, 2 * maxLines) : lines
  const more = lines.length > shown.length ? [paint('dim', '  … and others; --all shows them')] : []
  return [...shown.map((line) => paint('green', line)), ...more]
}

function serverLines(
  { score, grade, definition, coherence }: ServerReview,
  options: TextOptions,
  paint: Paint,
): string[] {
  const { mean, min } = definition
  const title = `overall: definitions ${definition.score.toFixed(2)} (mean ${mean.toFixed(2)}, min ${min.toFixed(2)}), coherence ${coherence.score.toFixed(2)}`
  const mark = `${grade} ${score.toFixed(2)}`
  const [first = '', ...rest] = wrapLines(title, options.width - mark.length - 2, '', '')
  const lines = [
    `${paint(['bold', gradeStyles[grade]], mark)}  ${first}`,
    ...rest.map((line) => `${' '.repeat(mark.length + 2)}${line}`),
  ]
  const parts = [
    ['disambiguation', coherence.disambiguation],
    ['naming', coherence.naming],
    ['tool count', coherence.toolCount],
    ['completeness', coherence.completeness],
  ] as const
  for (const [name, part] of parts) {
    const isWeak = part.score < 3
    if (!isWeak && !options.all) continue
    const text = `${name} ${dimensionText(part, options)}`
    lines.push(...body(text, options, '  ', '    ').map((line) => paint(isWeak ? 'yellow' : 'dim', line)))
  }
  return lines
}

function fixedLines(fixed: NonNullable<Report['fixed']>, options: TextOptions, paint: Paint): string[] {
  if (fixed.length === 0) return ['nothing to fix', '']
  const lines = fixed.flatMap(({ tool, file, rule, rewrite }) => [
    ...body(`fixed ${rule} of ${tool} in ${shortPath(file)}`, options, '', '  '),
    ...body(rewrite, options, '  + ', '    ').map((line) => paint('green', line)),
  ])
  return [...lines, '']
}

function staleLines(stale: NonNullable<Report['stale']>, options: TextOptions, paint: Paint): string[] {
  if (stale.length === 0) return []
  const shown = options.all ? stale : stale.slice(0, maxFindings)
  const lines = shown.flatMap(({ tool, rule, pointer }) =>
    body(`${tool} ${rule} ${pointer}`, options, '  ', '    '),
  )
  const more =
    stale.length > shown.length ? [`  … and ${stale.length - shown.length} more; --all shows them`] : []
  return [
    paint(
      'yellow',
      `${stale.length} baseline ${stale.length === 1 ? 'entry was' : 'entries were'} not found; --write-baseline removes ${stale.length === 1 ? 'it' : 'them'}:`,
    ),
    ...lines,
    ...more,
    '',
  ]
}

/** Wraps a string from a definition; a long one is shortened without `--all`. */
function body(text: string, { width, all }: TextOptions, first: string, rest: string): string[] {
  const maxLength = all ? 2_000 : maxLines * width
  const line = oneLine(text.slice(0, 4 * maxLength))
  const lines = wrapLines(line.length > maxLength ? `${line.slice(0, maxLength)}…` : line, width, first, rest)
  if (all || lines.length <= maxLines) return lines
  const kept = lines.slice(0, maxLines)
  const last = kept.pop()!
  return [...kept, widthOf(last) < width ? `${last}…` : `${last.slice(0, -1)}…`]
}

function formatLocation({ file, line }: Location): string {
  return oneLine(`${shortPath(file)}:${line}`)
}
