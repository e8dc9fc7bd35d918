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
import type { JsonDocument } from './read-json-document.ts'
import type { SourceTool, ToolSet } from './tool-source.ts'

/** Reviewed tools, as input for all report formats. */
export interface ReportedSet {
  readonly name: string
  readonly server: ServerReview | null
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

/** Reviews each set on its own, and locates the findings in their files. */
export function reviewSource(sets: readonly ToolSet[], baseline: Baseline | null): ReportedSet[] {
  const locate = createLocator()
  return sets.map(({ name, tools }) => {
    const { tools: reviews, server } = reviewTools(tools.map(({ tool }) => tool))
    return {
      name,
      server,
      tools: tools.map((source, index) => report(source, reviews[index]!, locate, baseline)),
    }
  })
}

type Locate = (source: SourceTool, pointer: string) => Location | null

function report(
  source: SourceTool,
  { findings, suppressed, score, grade }: ToolReview,
  locate: Locate,
  baseline: Baseline | null,
): ReportedTool {
  const name = source.shownName
  const complete = (finding: Finding): ReportedFinding => ({
    ...finding,
    location: locate(source, finding.pointer),
    fixable: isFixable(source, finding),
    known: baseline !== null && isKnown(baseline, name, finding),
  })
  return {
    name,
    location: locate(source, ''),
    grade,
    score,
    findings: [...source.findings, ...withoutInvalid(source.findings, findings)]
      .map(complete)
      .sort(bySeverity),
    suppressed: suppressed.map(({ finding, reason }) => ({ finding: complete(finding), reason })),
    source,
  }
}

/** Drops findings about fields that are already reported as invalid. */
function withoutInvalid(shape: readonly Finding[], findings: readonly Finding[]): readonly Finding[] {
  const invalid = shape.filter(({ rule }) => rule === 'definition-shape').map(({ pointer }) => `${pointer}/`)
  return findings.filter(({ pointer }) => !invalid.some((at) => `${pointer}/`.startsWith(at)))
}

function bySeverity(a: Finding, b: Finding): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity)
}

function isFixable({ origin }: SourceTool, { fix }: Finding): boolean {
  if (fix === undefined || origin === null) return false
  const { format } = origin
  return (format === 'script' || format === 'api') && exactPointer(format, fix.pointer) !== null
}

/** Parses every document once. */
function createLocator(): Locate {
  const spansOf = new Map<JsonDocument, JsonSpans>()
  return ({ origin }, pointer) => {
    if (origin === null || origin.document.file === null) return null
    const { document } = origin
    const spans = spansOf.get(document) ?? new JsonSpans(document.text)
    spansOf.set(document, spans)
    return { file: document.file!, line: spans.near(filePointer(origin, pointer)).line }
  }
}
