import type { Grade, Severity } from '@curfew/review'
import type { UsageError } from '../command.ts'
import { reviewError } from './review-error.ts'
import { findingsOf, type ReportedFinding, type ReportedSet, severities } from './review-source.ts'

/** The condition for exit code 1. */
export interface FailOn {
  /** Findings of this severity or worse. */
  readonly severity: Severity | null
  /** Tools and servers with a worse grade. */
  readonly grade: Grade | null
}

/** From best to worst. */
export const grades: readonly Grade[] = ['A', 'B', 'C', 'D']

/** Parses `error`, `warning`, `note`, `grade:B`, `never`, or a severity and a grade separated by a comma. */
export function parseFailOn(text: string): FailOn {
  let severity: Severity | null = null
  let grade: Grade | null = null
  const parts = text.split(',').map((part) => part.trim())
  for (const part of parts) {
    const minGrade = /^grade:([A-D])$/i.exec(part)?.[1]?.toUpperCase() as Grade | undefined
    if (severity === null && (severities as readonly string[]).includes(part)) severity = part as Severity
    else if (grade === null && minGrade !== undefined) grade = minGrade
    else if (part !== 'never' || parts.length > 1) throw invalid(text)
  }
  return { severity, grade }
}

/** `isNew`: whether a finding counts. */
export function fails(
  sets: readonly ReportedSet[],
  { severity, grade }: FailOn,
  isNew: (finding: ReportedFinding) => boolean,
): boolean {
  const limit = severity === null ? -1 : severities.indexOf(severity)
  const tools = sets.flatMap((set) => set.tools)
  const hasFinding = findingsOf(sets).some(
    (finding) => isNew(finding) && severities.indexOf(finding.severity) <= limit,
  )
  if (hasFinding || grade === null) return hasFinding
  const allGrades = [...tools.map((tool) => tool.grade), ...sets.flatMap(({ server }) => server?.grade ?? [])]
  return allGrades.some((other) => grades.indexOf(other) > grades.indexOf(grade))
}

function invalid(text: string): UsageError {
  return reviewError(
    `--fail-on: expected error, warning, note, never, a grade such as grade:B, or both as in warning,grade:B; got ${JSON.stringify(text)}`,
  )
}
