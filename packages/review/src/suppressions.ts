import { nearestName } from '@curfew/core/internal'
import type { Finding, ReviewedTool } from './review-types.ts'
import { rules } from './rules/index.ts'
import { isRecord, own } from './schema/schema.ts'

export interface ReadSuppressions {
  readonly suppressions: ReviewedTool['suppressions']
  /** What is wrong with the others: they suppress nothing. */
  readonly findings: readonly Finding[]
}

/** Nobody needs more, and each costs. */
const mostEntries = 100

/**
 * `{ "ignore": [{ "rule": "…", "reason": "…" }] }`: the `review` of our own files, and `_meta["curfew/review"]` of a
 * definition. Never throws.
 */
export function readSuppressions(value: unknown, pointer = '/_meta/curfew~1review'): ReadSuppressions {
  const suppressions: { rule: string; reason: string }[] = []
  const findings: Finding[] = []
  const report = (at: string, message: string, rewrite: string): void => {
    findings.push({ rule: 'suppression', severity: 'warning', message, rewrite, pointer: pointer + at })
  }
  if (value === undefined) return { suppressions, findings }
  const example = '"ignore": [{ "rule": "<id>", "reason": "<why>" }]'
  const ignore = own(value, 'ignore')
  if (!isRecord(value) || (ignore !== undefined && !Array.isArray(ignore))) {
    report('', 'what the review is to ignore is not a list of rules with reasons', example)
    return { suppressions, findings }
  }
  const entries: readonly unknown[] = Array.isArray(ignore) ? ignore : []
  if (entries.length > mostEntries)
    report('/ignore', `only the first ${mostEntries} of ${entries.length} suppressions count`, example)
  const known = rules.map(({ id }) => id)
  for (const [index, entry] of entries.slice(0, mostEntries).entries()) {
    const at = `/ignore/${index}`
    const rule = own(entry, 'rule')
    const reason = own(entry, 'reason')
    if (typeof rule !== 'string' || rule === '') {
      report(at, 'a suppression names no rule, so it suppresses nothing', example)
    } else if (!known.includes(rule)) {
      const shown = JSON.stringify(rule.slice(0, 60))
      const meant = nearestName(rule.slice(0, 60), known)
      const rewrite = meant === undefined ? `"ignore": [] (without ${shown})` : `"rule": "${meant}"`
      report(`${at}/rule`, `there is no rule ${shown}, so it suppresses nothing`, rewrite)
    } else if (typeof reason !== 'string' || reason.trim() === '') {
      const rewrite = `{ "rule": ${JSON.stringify(rule)}, "reason": "<why it does not apply here>" }`
      report(at, `the suppression of ${rule} gives no reason, so it suppresses nothing`, rewrite)
    } else suppressions.push({ rule, reason: reason.trim() })
  }
  return { suppressions, findings }
}
