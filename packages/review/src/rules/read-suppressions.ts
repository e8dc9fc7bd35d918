import { nearestName } from '@curfew/core/internal'
import type { Finding, ReviewedTool } from '../review-types.ts'
import { isRecord, ownValue } from '../schema/schema.ts'
import { rules } from './index.ts'

export interface ReadSuppressions {
  readonly suppressions: ReviewedTool['suppressions']
  /** Why some entries have no effect. */
  readonly findings: readonly Finding[]
}

const maxEntries = 100

/**
 * Reads `{ "ignore": [{ "rule": "…", "reason": "…" }] }`: the `review` field of a tool file, or
 * `_meta["curfew/review"]` of a definition. Never throws.
 */
export function readSuppressions(value: unknown, pointer = '/_meta/curfew~1review'): ReadSuppressions {
  const suppressions: { rule: string; reason: string }[] = []
  const findings: Finding[] = []
  const report = (at: string, message: string): void => {
    const suppression = { rule: 'suppression', severity: 'warning' } as const
    findings.push({ ...suppression, message, rewrite: null, pointer: pointer + at, count: 1 })
  }
  if (value === undefined) return { suppressions, findings }
  const ignore = ownValue(value, 'ignore')
  if (!isRecord(value) || (ignore !== undefined && !Array.isArray(ignore))) {
    report('', 'expected an object with "ignore", an array of rules with reasons')
    return { suppressions, findings }
  }
  const entries: readonly unknown[] = Array.isArray(ignore) ? ignore : []
  if (entries.length > maxEntries)
    report('/ignore', `only the first ${maxEntries} of ${entries.length} suppressions take effect`)
  const known = rules.map(({ id }) => id)
  for (const [index, entry] of entries.slice(0, maxEntries).entries()) {
    const at = `/ignore/${index}`
    const rule = ownValue(entry, 'rule')
    const reason = ownValue(entry, 'reason')
    if (typeof rule !== 'string' || rule === '') {
      report(at, 'the suppression has no effect: it names no rule')
    } else if (!known.includes(rule)) {
      const shown = JSON.stringify(rule.slice(0, 60))
      const nearest = nearestName(rule.slice(0, 60), known)
      const guess = nearest === undefined ? '' : `; did you mean ${nearest}?`
      report(`${at}/rule`, `the suppression has no effect: unknown rule ${shown}${guess}`)
    } else if (typeof reason !== 'string' || reason.trim() === '') {
      report(at, `the suppression of ${rule} has no effect: it gives no reason`)
    } else suppressions.push({ rule, reason: reason.trim() })
  }
  return { suppressions, findings }
}

/** Why findings of a rule are suppressed for a tool; `undefined` if they are not. */
export function suppressionReason({ suppressions }: ReviewedTool, rule: string): string | undefined {
  return suppressions.find((suppression) => suppression.rule === rule)?.reason
}
