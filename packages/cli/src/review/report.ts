import type { Grade, Severity } from '@curfew/review'
import { count } from '../terminal.ts'
import type { AppliedFix } from './apply-fixes.ts'
import type { BaselineEntry } from './baseline.ts'
import { grades } from './fail-on.ts'
import { type ReportedFinding, type ReportedSet, type ReportedTool, severities } from './review-source.ts'

/** What a run has to tell. */
export interface Report {
  readonly sets: readonly ReportedSet[]
  /** What `--fix` has done; `null` without it. */
  readonly fixed: readonly AppliedFix[] | null
  /** What the baseline has and nobody finds any more; `null` without a baseline. */
  readonly stale: readonly BaselineEntry[] | null
  /** Whether everything could be looked at. */
  readonly complete: boolean
}

export interface Totals {
  readonly tools: number
  /** Those that count: not suppressed, not in the baseline. */
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
  const { tools, findings, grades: given, suppressed, known } = totalsOf(sets)
  const letters = grades.filter((grade) => given[grade] > 0).map((grade) => `${given[grade]} ${grade}`)
  const found = severities.filter((one) => findings[one] > 0).map((one) => count(findings[one], one))
  const aside = [
    suppressed > 0 && `${suppressed} suppressed`,
    known > 0 && `${known} in the baseline`,
  ].filter(Boolean)
  const said = found.length === 0 ? 'nothing found' : found.join(', ')
  return `${count(tools, 'tool')} (${letters.join(', ')}): ${[said, ...aside].join('; ')}`
}

/** `most of them: parameter-description 22, ...`; `null` where the list is short enough to be read. */
export function commonRules(sets: readonly ReportedSet[]): string | null {
  const fresh = sets.flatMap(({ tools }) => tools).flatMap(({ findings }) => newFindings(findings))
  if (fresh.length <= longList) return null
  const counts = new Map<string, number>()
  for (const { rule } of fresh) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  const common = [...counts].sort(([, a], [, b]) => b - a).slice(0, 4)
  return `most of them: ${common.map(([rule, number]) => `${rule} ${number}`).join(', ')}`
}

const longList = 20

/** Only what the baseline does not have. */
export function newFindings(findings: readonly ReportedFinding[]): readonly ReportedFinding[] {
  return findings.filter(({ known }) => !known)
}

/** An error is always told, also one that the definition itself asks to ignore: somebody else may have written it. */
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
