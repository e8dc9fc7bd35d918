import type { Grade, Severity } from '@curfew/review'
import { count } from '../terminal.ts'
import type { AppliedFix } from './apply-fixes.ts'
import type { BaselineEntry } from './baseline.ts'
import { grades } from './fail-on.ts'
import { type ReportedFinding, type ReportedSet, type ReportedTool, severities } from './review-source.ts'

/** The result of a run. */
export interface Report {
  readonly sets: readonly ReportedSet[]
  /** The fixes applied by `--fix`; `null` without it. */
  readonly fixed: readonly AppliedFix[] | null
  /** Baseline entries that were not found; `null` without a baseline. */
  readonly stale: readonly BaselineEntry[] | null
  /** Whether everything could be reviewed. */
  readonly complete: boolean
}

export interface Totals {
  readonly tools: number
  /** Neither suppressed nor in the baseline. */
  readonly findings: Readonly<Record<Severity, number>>
  readonly grades: Readonly<Record<Grade, number>>
  readonly suppressed: number
  readonly known: number
  readonly fixable: number
}

export function totalsOf(sets: readonly ReportedSet[]): Totals {
  const tools = sets.flatMap((set) => set.tools)
  const all = tools.flatMap(({ findings }) => findings)
  const fresh = all.filter(({ known }) => !known)
  return {
    tools: tools.length,
    findings: countBy(severities, fresh, ({ severity }) => severity),
    grades: countBy(grades, tools, ({ grade }) => grade),
    suppressed: tools.reduce((sum, { suppressed }) => sum + suppressed.length, 0),
    known: all.length - fresh.length,
    fixable: fresh.filter(({ fixable }) => fixable).length,
  }
}

/** `14 tools (12 A, 2 C): 1 error, 3 warnings; 2 suppressed` */
export function totalsLine(sets: readonly ReportedSet[]): string {
  const { tools, findings, grades: counts, suppressed, known } = totalsOf(sets)
  const letters = grades.filter((grade) => counts[grade] > 0).map((grade) => `${counts[grade]} ${grade}`)
  const found = severities.filter((one) => findings[one] > 0).map((one) => count(findings[one], one))
  const excluded = [
    suppressed > 0 && `${suppressed} suppressed`,
    known > 0 && `${known} in the baseline`,
  ].filter(Boolean)
  const summary = found.length === 0 ? 'no findings' : found.join(', ')
  return `${count(tools, 'tool')} (${letters.join(', ')}): ${[summary, ...excluded].join('; ')}`
}

/** `most frequent: parameter-description 22, ...`; `null` if there are few findings. */
export function commonRules(sets: readonly ReportedSet[]): string | null {
  const fresh = sets.flatMap(({ tools }) => tools).flatMap(({ findings }) => newFindings(findings))
  if (fresh.length <= manyFindings) return null
  const counts = new Map<string, number>()
  for (const { rule } of fresh) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  const common = [...counts].sort(([, a], [, b]) => b - a).slice(0, 4)
  return `most frequent: ${common.map(([rule, number]) => `${rule} ${number}`).join(', ')}`
}

const manyFindings = 20

/** Findings that are not in the baseline. */
export function newFindings(findings: readonly ReportedFinding[]): readonly ReportedFinding[] {
  return findings.filter(({ known }) => !known)
}

/** Suppressed errors are always shown, because the definition may come from a third party. */
export function suppressedErrors(suppressed: ReportedTool['suppressed']): ReportedTool['suppressed'] {
  return suppressed.filter(({ finding }) => finding.severity === 'error')
}

function countBy<K extends string, T>(
  keys: readonly K[],
  items: readonly T[],
  keyOf: (item: T) => K,
): Record<K, number> {
  const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>
  for (const item of items) counts[keyOf(item)]++
  return counts
}
