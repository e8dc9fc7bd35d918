import { JsonSpans } from '@curfew/extensions/internal'
import {
  type Finding,
  type Grade,
  reviewTools,
  type ServerReview,
  type ToolReview,
  type ToolScore,
} from '@curfew/review'
import { type Baseline, isKnown } from './baseline.ts'
import { exactPointer, filePointer } from './file-pointer.ts'
import { describeFix } from './fix-edit.ts'
import type { JsonDocument } from './read-json-document.ts'
import type { Origin, SourceTool, ToolSet } from './tool-source.ts'

/** Reviewed tools, as input for all report formats. */
export interface ReportedSet {
  readonly name: string
  readonly server: ServerReview | null
  /** About all tools together. */
  readonly findings: readonly ReportedFinding[]
  readonly pattern: ToolSet['pattern']
  readonly tools: readonly ReportedTool[]
}

export interface ReportedTool {
  readonly name: string
  readonly location: Location | null
  readonly grade: Grade
  readonly score: ToolScore
  readonly findings: readonly ReportedFinding[]
  readonly suppressed: readonly { readonly finding: ReportedFinding; readonly reason: string }[]
  readonly source: SourceTool
}

export interface ReportedFinding extends Finding {
  readonly location: Location | null
  /** Whether `--fix` can fix it. */
  readonly fixable: boolean
  /** Whether it is in the baseline. */
  readonly known: boolean
}

export interface Location {
  readonly file: string
  readonly line: number
}

/** From worst to mildest. */
export const severities: readonly Finding['severity'][] = ['error', 'warning', 'note']

/** All findings, those about a server as a whole first. */
export function findingsOf(sets: readonly ReportedSet[]): ReportedFinding[] {
  return sets.flatMap(({ findings, tools }) => [...findings, ...tools.flatMap((tool) => tool.findings)])
}

/** Reviews each set on its own, and locates the findings in their files. */
export function reviewSource(sets: readonly ToolSet[], baseline: Baseline | null): ReportedSet[] {
  const report = findingReporter(baseline)
  return sets.map(({ name, pattern, tools }) => {
    const { tools: reviews, server } = reviewTools(tools.map(({ tool }) => tool))
    return {
      name,
      pattern,
      server,
      findings: (server?.findings ?? []).map((finding) => report.aboutSet(pattern, tools, finding)),
      tools: tools.map((source, index) => reportTool(source, reviews[index]!, report)),
    }
  })
}

export interface FindingReporter {
  locate(source: SourceTool, pointer: string): Location | null
  about(source: SourceTool, finding: Finding): ReportedFinding
  aboutSet(pattern: string, tools: readonly SourceTool[], finding: Finding): ReportedFinding
}

/** Adds to findings where they are, and whether they are known. Parses every document once. */
export function findingReporter(baseline: Baseline | null): FindingReporter {
  const locate = createLocator()
  const isInBaseline = (tool: string, finding: Finding): boolean =>
    baseline !== null && isKnown(baseline, tool, finding)
  return {
    locate: ({ origin }, pointer) => origin && locate(origin, pointer),
    about: (source, finding) => ({
      ...finding,
      // The report proposes what `--fix` does.
      ...(finding.fix !== undefined && { rewrite: describeFix(finding.fix) }),
      location: source.origin && locate(source.origin, finding.pointer),
      fixable: isFixable(source, finding),
      known: isInBaseline(source.shownName, finding),
    }),
    aboutSet(pattern, [first], finding) {
      const origin = first?.origin ?? null
      // The pointer is that within each tool.
      const whole = origin && { ...origin, base: origin.format === 'server' ? origin.base : '' }
      return {
        ...finding,
        location: whole && locate(whole, ''),
        fixable: false,
        known: isInBaseline(pattern, finding),
      }
    },
  }
}

function reportTool(
  source: SourceTool,
  { findings, suppressed, score, grade }: ToolReview,
  report: FindingReporter,
): ReportedTool {
  return {
    name: source.shownName,
    location: report.locate(source, ''),
    grade,
    score,
    findings: [...source.findings, ...withoutInvalid(source.findings, findings)]
      .map((finding) => report.about(source, finding))
      .sort(bySeverity),
    suppressed: suppressed.map(({ finding, reason }) => ({ finding: report.about(source, finding), reason })),
    source,
  }
}

/** Drops findings about fields that are already reported as invalid. */
function withoutInvalid(shape: readonly Finding[], findings: readonly Finding[]): readonly Finding[] {
  const invalid = shape.filter(({ rule }) => rule === 'definition-shape').map(({ pointer }) => `${pointer}/`)
  return findings.filter(({ pointer }) => !invalid.some((at) => `${pointer}/`.startsWith(at)))
}

export function bySeverity(a: Finding, b: Finding): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity)
}

function isFixable({ origin }: SourceTool, { fix }: Finding): boolean {
  if (fix === undefined || origin === null) return false
  const { format } = origin
  return (format === 'script' || format === 'api') && exactPointer(format, fix.pointer) !== null
}

function createLocator(): (origin: Origin, pointer: string) => Location | null {
  const spansOf = new Map<JsonDocument, JsonSpans>()
  return (origin, pointer) => {
    const { document } = origin
    if (document.file === null) return null
    const spans = spansOf.get(document) ?? new JsonSpans(document.text)
    spansOf.set(document, spans)
    return { file: document.file, line: spans.near(filePointer(origin, pointer)).line }
  }
}

/** Starts the reason of a suppression that a model decided. */
export const judgementPrefix = 'judge: '
