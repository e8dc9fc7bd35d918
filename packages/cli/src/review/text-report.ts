import type { ServerReview } from '@curfew/review'
import { shortPath } from '../short-path.ts'
import { count, cut, oneLine, widthOf } from '../terminal.ts'
import { grades } from './fail-on.ts'
import { groupLines } from './group-lines.ts'
import { fixesThatRaise } from './raise-score.ts'
import {
  hiddenNotes,
  judgeLine,
  publishedNotes,
  type Report,
  shownFindings,
  suppressedErrors,
  totalsLine,
  totalsOf,
} from './review-report.ts'
import type { ReportedSet, ReportedTool } from './review-source.ts'
import { body, gradeStyles, type Paint, painter, type TextOptions, wrapLines } from './text-style.ts'
import { dimensionText, toolLines } from './tool-lines.ts'

/** Without `--all`, for the whole report, unless there are many sets. */
const maxReportLines = 60
const minSetLines = 16
/** Up to this number, every tool is shown with its rewrites and where it loses points. */
const fewTools = 3
/** For up to 30 tools; of more, fewer are shown. */
const maxGradeLines = 14
const maxStale = 6

/** The default format, for a terminal. */
export function textReport(report: Report, options: TextOptions): string {
  const paint = painter(options)
  const { sets, fixed, stale } = report
  const before = fixed === null ? [] : fixedLines(fixed, options, paint)
  const after = [...staleLines(stale ?? [], options, paint), ...totalLines(report, options, paint)]
  const maxLines = Math.max(minSetLines, Math.floor((maxReportLines - after.length) / sets.length))
  const shown = sets.flatMap((set) => setLines(set, maxLines, options, paint))
  return `${[...before, ...shown, ...after].join('\n')}\n`
}

/** The lines of a set, each part followed by an empty line. */
function setLines(set: ReportedSet, maxLines: number, options: TextOptions, paint: Paint): string[] {
  const { tools, server } = set
  const isOne = tools.length === 1
  const heading = server === null || isOne ? [] : [...headingLines(set, server, options, paint), '']
  if (options.all || tools.length <= fewTools) {
    const shared = groupLines({ ...set, tools: [] }, maxLines, options, paint)
    const blocks = tools.flatMap((tool) => [...toolLines(tool, true, options, paint), ''])
    const coherence = server === null || !options.all || isOne ? [] : coherenceLines(server, options, paint)
    return [...heading, ...separate(shared), ...blocks, ...separate(coherence)]
  }
  const rest = gradeLines(tools, options, paint)
  const room = maxLines - heading.length - rest.length - 2
  return [...heading, ...separate(findingLines(set, room, options, paint)), ...rest, '']
}

/** The tools with findings in detail, if that fits; otherwise the findings by rule. */
function findingLines(set: ReportedSet, room: number, options: TextOptions, paint: Paint): string[] {
  const found = set.tools.filter(
    ({ findings, suppressed }) =>
      shownFindings(findings, options.strict).length + suppressedErrors(suppressed).length > 0,
  )
  if (found.length <= fewTools) {
    const shared = groupLines({ ...set, tools: [] }, room, options, paint)
    const details = found.flatMap((tool) => ['', ...toolLines(tool, false, options, paint)])
    const lines = shared.length > 0 ? [...shared, ...details] : details.slice(1)
    if (lines.length <= room) return lines
  }
  return groupLines(set, room, options, paint)
}

function headingLines(
  set: ReportedSet,
  { grade, score, definition, coherence }: ServerReview,
  options: TextOptions,
  paint: Paint,
): string[] {
  const mark = `${grade} ${score.toFixed(2)}`
  const name = cut(set.name.slice(0, 500), options.width - mark.length - 2)
  const parts = `${count(set.tools.length, 'tool')}: definitions ${definition.score.toFixed(2)} (mean ${definition.mean.toFixed(2)}, min ${definition.min.toFixed(2)}), coherence ${coherence.score.toFixed(2)}`
  const fixes = grade === 'A' && !options.all && isClean(set, options) ? [] : fixesThatRaise(set)
  return [
    `${paint(['bold', gradeStyles[grade]], mark)}  ${paint('bold', name)}`,
    ...wrapLines(parts, options.width, '  ', '  ').map((line) => paint('dim', line)),
    ...(fixes.length > 0 ? ['', paint('bold', 'What would raise it most')] : []),
    ...fixes.flatMap((fix, index) => body(fix, options, `  ${index + 1}. `, '     ', 3)),
  ]
}

function isClean({ findings, tools }: ReportedSet, { strict }: TextOptions): boolean {
  return [{ findings }, ...tools].every((one) => shownFindings(one.findings, strict).length === 0)
}

/** The names of the tools by grade. Those that do not fit are counted. */
function gradeLines(tools: readonly ReportedTool[], { width }: TextOptions, paint: Paint): string[] {
  const maxTotal = tools.length > 30 ? maxGradeLines / 2 : maxGradeLines
  const lines = grades.flatMap((grade) => {
    const names = tools
      .filter((tool) => tool.grade === grade)
      .toSorted((a, b) => b.score.overall - a.score.overall)
      .map(({ name, score }) => `${cut(name.slice(0, 500), width - 12)} ${score.overall.toFixed(2)}`)
    const maxLines = Math.max(1, Math.round((maxTotal * names.length) / tools.length))
    return names.length === 0 ? [] : [{ grade, lines: packNames(names, width - 3, maxLines) }]
  })
  return lines.flatMap(({ grade, lines: packed }) =>
    packed.map((line, index) => `${index === 0 ? paint(['bold', gradeStyles[grade]], grade) : ' '}  ${line}`),
  )
}

/** Fills lines with names separated by commas. */
function packNames(names: readonly string[], width: number, maxLines: number): string[] {
  const lines: string[] = []
  for (const [index, name] of names.entries()) {
    const last = lines.at(-1)
    const more = ` … ${names.length - index} more`
    // Keeps room for the number of those that follow.
    const room = lines.length === maxLines && index < names.length - 1 ? width - more.length : width
    if (last !== undefined && widthOf(`${last} ${name},`) <= room)
      lines[lines.length - 1] = `${last} ${name},`
    else if (lines.length < maxLines) lines.push(`${name},`)
    else return [...lines.slice(0, -1), last! + more]
  }
  return [...lines.slice(0, -1), lines.at(-1)!.slice(0, -1)]
}

function coherenceLines({ coherence }: ServerReview, options: TextOptions, paint: Paint): string[] {
  const parts = [
    ['disambiguation', coherence.disambiguation],
    ['naming', coherence.naming],
    ['tool count', coherence.toolCount],
    ['coverage', coherence.completeness],
  ] as const
  return parts.flatMap(([name, part]) =>
    body(`${name} ${dimensionText(part, true)}`, options, '', '  ').map((line) =>
      paint(part.score < 3 ? 'yellow' : 'dim', line),
    ),
  )
}

function totalLines({ sets, judge }: Report, options: TextOptions, paint: Paint): string[] {
  const { strict, all, width } = options
  const wrapped = (text: string | null): string[] => (text === null ? [] : wrapLines(text, width, '', '  '))
  const { fixable, findings } = totalsOf(sets)
  const isGrouped = sets.some(({ tools }) => tools.length > fewTools)
  const found = findings.error + findings.warning + (strict ? findings.note : 0)
  return [
    ...wrapped(totalsLine(sets, strict)).map((line) => paint('bold', line)),
    ...wrapped(hiddenNotes(sets, strict)),
    ...(judge === null ? [] : wrapped(judgeLine(judge))),
    ...wrapped(publishedNotes(sets)).map((line) => paint('dim', line)),
    ...(fixable > 0 ? wrapped(`${count(fixable, 'finding')} can be fixed with --fix`) : []),
    ...(isGrouped && !all && found > 0
      ? wrapped('--all shows every finding with its rewrite, and the evidence for every score')
      : []),
  ]
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
  const shown = options.all ? stale : stale.slice(0, maxStale)
  const lines = shown.flatMap(({ tool, rule, pointer }) =>
    body(`${tool} ${rule} ${pointer}`, options, '  ', '    '),
  )
  const more =
    stale.length > shown.length ? [`  … and ${stale.length - shown.length} more; --all shows them`] : []
  const title = `${stale.length} baseline ${stale.length === 1 ? 'entry was' : 'entries were'} not found; --write-baseline removes ${stale.length === 1 ? 'it' : 'them'}:`
  return [
    ...wrapLines(oneLine(title), options.width, '', '').map((line) => paint('yellow', line)),
    ...lines,
    ...more,
    '',
  ]
}

function separate(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [...lines, '']
}
