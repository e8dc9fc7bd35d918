import type { Grade, Severity } from '@curfew/review'
import { count } from '../terminal.ts'
import type { AppliedFix } from './apply-fixes.ts'
import type { BaselineEntry } from './baseline.ts'
import type { Comparison } from './compare/compare-reports.ts'
import { grades } from './fail-on.ts'
import type { JudgeSummary } from './judge/judge-sets.ts'
import {
  findingsOf,
  type ReportedFinding,
  type ReportedSet,
  type ReportedTool,
  severities,
} from './review-source.ts'

/** The result of a run. */
export interface Report {
  readonly sets: readonly ReportedSet[]
  /** The fixes applied by `--fix`; `null` without it. */
  readonly fixed: readonly AppliedFix[] | null
  /** Baseline entries that were not found; `null` without a baseline. */
  readonly stale: readonly BaselineEntry[] | null
  /** Whether everything could be reviewed. */
  readonly complete: boolean
  /** What a model judged; `null` without `--judge`. */
  readonly judge: JudgeSummary | null
  /** The differences from an earlier report; `null` without `--compare`. */
  readonly comparison: Comparison | null
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
  const all = findingsOf(sets)
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

/** `14 tools (12 A, 2 C): 1 error, 3 warnings; 2 suppressed`. Without `strict`, notes are not mentioned. */
export function totalsLine(sets: readonly ReportedSet[], strict: boolean): string {
  const { tools, findings, grades: counts, suppressed, known } = totalsOf(sets)
  const letters = grades.filter((grade) => counts[grade] > 0).map((grade) => `${counts[grade]} ${grade}`)
  const found = severities
    .filter((severity) => findings[severity] > 0 && (strict || severity !== 'note'))
    .map((severity) => count(findings[severity], severity))
  const excluded = [
    suppressed > 0 && `${suppressed} suppressed`,
    known > 0 && `${known} in the baseline`,
  ].filter(Boolean)
  const summary =
    found.length > 0
      ? found.join(', ')
      : findings.note > 0 && !strict
        ? 'no errors or warnings'
        : 'no findings'
  return `${count(tools, 'tool')} (${letters.join(', ')}): ${[summary, ...excluded].join('; ')}`
}

/** `12 notes; --strict shows them`; `null` if there are none, or they are shown. */
export function hiddenNotes(sets: readonly ReportedSet[], strict: boolean): string | null {
  const { note } = totalsOf(sets).findings
  if (note === 0 || strict) return null
  return `${count(note, 'note')}; --strict shows ${note === 1 ? 'it' : 'them'}`
}

/** `judged by google:gemini: 3 findings dismissed, 1 added`. */
export function judgeLine({ model, dismissed, added, failed }: JudgeSummary): string {
  const rest = failed > 0 ? `; ${count(failed, 'tool')} not judged` : ''
  return `judged by ${model}: ${count(dismissed, 'finding')} dismissed, ${added} added${rest}`
}

/** Why some findings are only notes; `null` if there are none of them. */
export function publishedNotes(sets: readonly ReportedSet[]): string | null {
  const published = sets
    .flatMap(({ tools }) => tools)
    .filter(({ source }) => source.tool.curfew === undefined)
  const isMilder = ({ rule, known }: ReportedFinding): boolean => !known && milderRules.has(rule)
  if (!published.some(({ findings }) => findings.some(isMilder))) return null
  return "In MCP definitions, findings about usage guidance, comparisons, workflow, output and length are only notes, because the score rewards them there. Tools in Curfew's format have a separate field, usage."
}

const milderRules: ReadonlySet<string> = new Set(
  ['trigger', 'comparison', 'workflow', 'output', 'length'].map((kind) => `description-${kind}`),
)

/** The findings to show: not in the baseline, and notes only with `--strict`. */
export function shownFindings(
  findings: readonly ReportedFinding[],
  strict: boolean,
): readonly ReportedFinding[] {
  return findings.filter(({ known, severity }) => !known && (strict || severity !== 'note'))
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
