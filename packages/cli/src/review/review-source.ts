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
import { JsonSpans } from './json-spans.ts'
import type { JsonDocument } from './read-json-document.ts'
import type { SourceTool, ToolSet } from './tool-source.ts'

/** What all reports are made of. */
export interface ReportedSet {
  readonly name: string
  readonly server: ServerReview | null
  readonly tools: readonly ReportedTool[]
}

export interface ReportedTool {
  readonly name: string
  readonly place: Place | null
  readonly grade: Grade
  readonly score: ToolScore
  readonly findings: readonly ReportedFinding[]
  readonly suppressed: readonly { readonly finding: ReportedFinding; readonly reason: string }[]
  readonly source: SourceTool
}

export interface ReportedFinding extends Finding {
  readonly place: Place | null
  /** `--fix` can do it. */
  readonly fixable: boolean
  /** The baseline has it. */
  readonly known: boolean
}

export interface Place {
  readonly file: string
  readonly line: number
}

/** The worst first. */
export const severities: readonly Finding['severity'][] = ['error', 'warning', 'note']

/** Reviews each set for itself, and says where everything stands. */
export function reviewSource(sets: readonly ToolSet[], baseline: Baseline | null): ReportedSet[] {
  const reviewed = sets.map(({ name, tools }) => {
    const { tools: reviews, server } = reviewTools(tools.map(({ tool }) => tool))
    return { name, server, pairs: tools.map((source, index) => ({ source, review: reviews[index]! })) }
  })
  const places = findPlaces(reviewed.flatMap(({ pairs }) => pairs))
  return reviewed.map(({ name, server, pairs }) => ({
    name,
    server,
    tools: pairs.map(({ source, review }) => report(source, review, places, baseline)),
  }))
}

interface Pair {
  readonly source: SourceTool
  readonly review: ToolReview
}

type Places = (source: SourceTool, pointer: string) => Place | null

function report(
  source: SourceTool,
  { findings, suppressed, score, grade }: ToolReview,
  places: Places,
  baseline: Baseline | null,
): ReportedTool {
  const name = source.shownName
  const complete = (finding: Finding): ReportedFinding => ({
    ...finding,
    place: places(source, finding.pointer),
    fixable: isFixable(source, finding),
    known: baseline !== null && isKnown(baseline, name, finding),
  })
  return {
    name,
    place: places(source, ''),
    grade,
    score,
    findings: [...source.findings, ...besides(source.findings, findings)].map(complete).sort(bySeverity),
    suppressed: suppressed.map(({ finding, reason }) => ({ finding: complete(finding), reason })),
    source,
  }
}

/** What a rule says of something that is not what it should be adds nothing. */
function besides(shape: readonly Finding[], findings: readonly Finding[]): readonly Finding[] {
  const wrong = shape.filter(({ rule }) => rule === 'definition-shape').map(({ pointer }) => `${pointer}/`)
  return findings.filter(({ pointer }) => !wrong.some((at) => `${pointer}/`.startsWith(at)))
}

function bySeverity(a: Finding, b: Finding): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity)
}

function isFixable({ origin }: SourceTool, { fix }: Finding): boolean {
  if (fix === undefined || origin === null) return false
  const { format } = origin
  return (format === 'script' || format === 'api') && exactPointer(format, fix.pointer) !== null
}

/** Every document is read through once, for all that is wanted of it. */
function findPlaces(pairs: readonly Pair[]): Places {
  const wanted = new Map<JsonDocument, Set<string>>()
  for (const { source, review } of pairs) {
    const { origin } = source
    if (origin === null) continue
    const pointers = wanted.get(origin.document) ?? new Set<string>()
    wanted.set(origin.document, pointers)
    const suppressed = review.suppressed.map(({ finding }) => finding)
    for (const { pointer } of [...source.findings, ...review.findings, ...suppressed])
      pointers.add(filePointer(origin, pointer))
    pointers.add(filePointer(origin, ''))
  }
  const spans = new Map(
    [...wanted].map(([document, pointers]) => [document, new JsonSpans(document.text, pointers)]),
  )
  return ({ origin }, pointer) => {
    if (origin === null || origin.document.file === null) return null
    const { line } = spans.get(origin.document)!.near(filePointer(origin, pointer))
    return { file: origin.document.file, line }
  }
}
