import type { Severity } from '@curfew/review'
import { count } from '../../terminal.ts'
import { suppressedErrors } from '../review-report.ts'
import type { ReportedSet } from '../review-source.ts'
import type { Change, Comparison } from './compare-reports.ts'

/** A change with only the findings that are shown: notes only with `--strict`. */
export function shownChange(change: Change, strict: boolean): Change {
  const isShown = ({ severity }: { readonly severity: Severity }): boolean => strict || severity !== 'note'
  return {
    ...change,
    newFindings: change.newFindings.filter((finding) => isShown(finding) && !finding.known),
    fixedFindings: change.fixedFindings.filter(isShown),
  }
}

/** `C 2.85 → B 3.10`, `B 3.10`. */
export function gradeChange({ before, after }: Change): string {
  const show = ({ grade, score }: NonNullable<Change['before']>): string => `${grade} ${score.toFixed(2)}`
  if (before === null || after === null) return show((after ?? before)!)
  return show(before) === show(after) ? show(after) : `${show(before)} → ${show(after)}`
}

/** `1 tool added, 2 changed, 14 unchanged; 3 new findings, 1 fixed`. */
export function comparisonSummary({ tools, servers, unchanged }: Comparison, strict: boolean): string {
  const all = [...servers, ...tools].map((change) => shownChange(change, strict))
  const ofKind = (kind: Change['kind']): number => tools.filter((change) => change.kind === kind).length
  const sum = (number: (change: Change) => number): number =>
    all.reduce((total, change) => total + number(change), 0)
  const numbers = {
    added: ofKind('added'),
    removed: ofKind('removed'),
    changed: ofKind('changed'),
    unchanged,
  }
  const parts = Object.entries(numbers)
    .filter(([, number]) => number > 0)
    .map(([kind, number], index) => `${index === 0 ? count(number, 'tool') : number} ${kind}`)
  const added = sum(({ newFindings }) => newFindings.length)
  const fixed = sum(({ fixedFindings }) => fixedFindings.length)
  return `${parts.join(', ')}; ${count(added, 'new finding')}, ${fixed} fixed`
}

/** `purge_cache annotation-contradiction: the reason`; suppressed errors are never hidden. */
export function suppressedLines(sets: readonly ReportedSet[]): string[] {
  return sets.flatMap(({ tools }) =>
    tools.flatMap(({ name, suppressed }) =>
      suppressedErrors(suppressed).map(({ finding, reason }) => `${name} ${finding.rule}: ${reason}`),
    ),
  )
}
