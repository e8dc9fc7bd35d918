import type { Grade, Severity } from '@curfew/review'
import type { UsageError } from '../command.ts'
import { type ReportedSet, severities } from './review-source.ts'
import { reviewError } from './review-error.ts'

/** What makes the exit code 1. */
export interface FailOn {
  /** Findings that are at least so bad. */
  readonly severity: Severity | null
  /** Tools and servers whose grade is worse. */
  readonly grade: Grade | null
}

/** The best first. */
export const grades: readonly Grade[] = ['A', 'B', 'C', 'D']

/** `error`, `warning`, `note`, `grade:B`, `never`; a severity and a grade go together, with a comma. */
export function parseFailOn(text: string): FailOn {
  let severity: Severity | null = null
  let grade: Grade | null = null
  const parts = text.split(',').map((part) => part.trim())
  for (const part of parts) {
    const wanted = /^grade:([A-D])$/i.exec(part)?.[1]?.toUpperCase() as Grade | undefined
    if (severity === null && (severities as readonly string[]).includes(part)) severity = part as Severity
    else if (grade === null && wanted !== undefined) grade = wanted
    else if (part !== 'never' || parts.length > 1) throw unknown(text)
  }
  return { severity, grade }
}

export function fails(sets: readonly ReportedSet[], { severity, grade }: FailOn): boolean {
  const limit = severity === null ? -1 : severities.indexOf(severity)
  const tools = sets.flatMap((set) => set.tools)
  const found = tools.some(({ findings }) =>
    findings.some((finding) => !finding.known && severities.indexOf(finding.severity) <= limit),
  )
  if (found || grade === null) return found
  const given = [...tools.map((tool) => tool.grade), ...sets.flatMap(({ server }) => server?.grade ?? [])]
  return given.some((one) => grades.indexOf(one) > grades.indexOf(grade))
}

function unknown(text: string): UsageError {
  return reviewError(
    `--fail-on ${JSON.stringify(text)} is unknown; write error, warning, note, grade:B or never; a severity and a grade may stand together: warning,grade:B`,
  )
}
