import { styleText } from 'node:util'
import type { Dimension, DimensionScore, Grade, ServerReview, Severity } from '@curfew/review'
import { shortPath } from '../short-path.ts'
import { count, cut, oneLine } from '../terminal.ts'
import { foldLines } from './fold-lines.ts'
import { commonRules, newFindings, suppressedErrors, type Report, totalsLine, totalsOf } from './report.ts'
import type { Place, ReportedFinding, ReportedSet, ReportedTool } from './review-source.ts'

export interface TextOptions {
  readonly width: number
  readonly colours: boolean
  /** Nothing is cut. */
  readonly all: boolean
}

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
type Paint = (style: Style | Style[], text: string) => string

/** Unless all is wanted. */
const maxTools = 20
const maxFindings = 6
const maxLines = 4

const severityStyles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', note: 'cyan' }
const gradeStyles: Readonly<Record<Grade, Style>> = { A: 'green', B: 'green', C: 'yellow', D: 'red' }

/** For people at a terminal. */
export function textReport(report: Report, options: TextOptions): string {
  const paint: Paint = (style, text) =>
    options.colours ? styleText(style, text, { validateStream: false }) : text
  const { sets, fixed, stale } = report
  const lines: string[] = []
  if (fixed !== null) lines.push(...fixedLines(fixed, options, paint))
  for (const set of sets) lines.push(...setLines(set, sets.length > 1, options, paint))
  lines.push(...staleLines(stale ?? [], options, paint), paint('bold', totalsLine(sets)))
  const common = commonRules(sets)
  if (common !== null) lines.push(...foldLines(common, options.width, '', '  '))
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
  const isLoud = ({ findings, suppressed, grade }: ReportedTool): boolean =>
    newFindings(findings).length > 0 || grade !== 'A' || suppressedErrors(suppressed).length > 0
  const loud = tools.filter((tool) => options.all || isLoud(tool))
  const shown = options.all ? loud : loud.slice(0, maxTools)
  for (const tool of shown) lines.push(...toolLines(tool, options, paint), '')
  if (loud.length > shown.length) {
    lines.push(paint('dim', `… and ${loud.length - shown.length} more tools; --all shows them`), '')
  }
  const quiet = tools.filter((tool) => !options.all && !isLoud(tool))
  if (quiet.length > 0) lines.push(...quietLines(quiet, options, paint), '')
  if (server !== null) lines.push(...serverLines(server, options, paint), '')
  return lines
}

function toolLines(tool: ReportedTool, options: TextOptions, paint: Paint): string[] {
  const { name, grade, score, place, suppressed } = tool
  const mark = `${grade} ${score.overall.toFixed(2)}`
  const shownName = cut(name.slice(0, 500), Math.max(20, options.width - mark.length - 2))
  const at = place === null ? '' : where(place)
  const fits = shownName.length + mark.length + at.length + 4 <= options.width
  const lines = [
    `${paint(['bold', gradeStyles[grade]], mark)}  ${paint('bold', shownName)}${fits && at !== '' ? `  ${paint('dim', at)}` : ''}`,
  ]
  if (!fits) lines.push(`  ${paint('dim', at)}`)
  const fresh = newFindings(tool.findings)
  const shown = options.all ? tool.findings : fresh.slice(0, maxFindings)
  for (const [index, finding] of shown.entries()) {
    lines.push(...findingLines(finding, place, options, paint))
    // One better sentence often answers several.
    if (shown[index + 1]?.rewrite === finding.rewrite) continue
    lines.push(...body(finding.rewrite, options, '  + ', '    ').map((line) => paint('green', line)))
  }
  if (!options.all && fresh.length > shown.length) {
    lines.push(
      paint('dim', `  … and ${count(fresh.length - shown.length, 'finding')} more; --all shows them`),
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
  about: Place | null,
  options: TextOptions,
  paint: Paint,
): string[] {
  const { rule, severity, message, place, known } = finding
  const line = place === null || place.line === about?.line ? '' : `  line ${place.line}`
  const notes = `${line}${known ? '  in the baseline' : ''}`
  return [
    `  ${paint(severityStyles[severity], severity)} ${cut(rule, 50)}${paint('dim', notes)}`,
    ...body(message, options, '    ', '    '),
  ]
}

/** The weak points; with --all every one, with all that speaks for it. */
function scoreLines({ score }: ReportedTool, options: TextOptions, paint: Paint): string[] {
  const names = options.all ? (Object.keys(score.dimensions) as Dimension[]) : score.smells
  const told = new Map<string, Dimension[]>()
  for (const name of names) {
    const said = dimensionText(score.dimensions[name], options)
    told.set(said, [...(told.get(said) ?? []), name])
  }
  return [...told].flatMap(([said, [...dimensions]]) => {
    const isWeak = dimensions.some((name) => score.smells.includes(name))
    return body(`${dimensions.join(', ')} ${said}`, options, '  ', '    ').map((line) =>
      paint(isWeak ? 'yellow' : 'dim', line),
    )
  })
}

/** `2 of 5: why`; in short, what is lacking. */
function dimensionText({ score, evidence }: DimensionScore, { all }: TextOptions): string {
  const [first = '', ...others] = evidence
  const lacking = [first, ...others.filter((said) => /^[+-]?0 |^-/.test(said)).slice(0, 2)]
  const said = all ? evidence : lacking.map((one) => one.replace(/^(\d+ to begin with: |[+-]0 )/, ''))
  const why = said.join('; ').replace(/^\d+(\.\d+)?: /, '')
  return `${Number(score.toFixed(1))} of 5${why === '' ? '' : `: ${why}`}`
}

function quietLines(tools: readonly ReportedTool[], options: TextOptions, paint: Paint): string[] {
  const names = tools.map(
    ({ name, grade, score }) => `${cut(name.slice(0, 500), 60)} ${grade} ${score.overall.toFixed(2)}`,
  )
  const lines = foldLines(`Clean: ${names.join(', ')}`, options.width, '', '  ')
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
  const title = `all together: definitions ${definition.score.toFixed(2)} (mean ${mean.toFixed(2)}, lowest ${min.toFixed(2)}), coherence ${coherence.score.toFixed(2)}`
  const mark = `${grade} ${score.toFixed(2)}`
  const [first = '', ...rest] = foldLines(title, options.width - mark.length - 2, '', '')
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
      `${stale.length} in the baseline ${stale.length === 1 ? 'is' : 'are'} not found any more; --write-baseline drops them:`,
    ),
    ...lines,
    ...more,
    '',
  ]
}

/** A text of somebody else, in lines that fit; a long one is cut unless all is wanted. */
function body(text: string, { width, all }: TextOptions, first: string, rest: string): string[] {
  const most = all ? 2_000 : maxLines * width
  const line = oneLine(text.slice(0, 4 * most))
  const lines = foldLines(line.length > most ? `${line.slice(0, most)}…` : line, width, first, rest)
  if (all || lines.length <= maxLines) return lines
  const kept = lines.slice(0, maxLines)
  const last = kept.pop()!
  return [...kept, last.length < width ? `${last}…` : `${last.slice(0, -1)}…`]
}

function where({ file, line }: Place): string {
  return oneLine(`${shortPath(file)}:${line}`)
}
