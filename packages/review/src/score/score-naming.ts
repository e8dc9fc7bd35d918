import { nameWords } from '../language/name-words.ts'
import { verbOf } from '../language/verbs.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { scoreShare } from './score-share.ts'

/** Do the names share one style, and one order of verb and noun? A one-word name fits any. */
export function scoreNaming(tools: readonly ReviewedTool[]): DimensionScore {
  const styles = majorityOf(tools, caseStyleOf)
  const orders = majorityOf(tools, wordOrderOf)
  const reasons = [...describeMajority('style', styles), ...describeMajority('order', orders)]
  if (reasons.length === 0) reasons.push('all names are single words')
  return scoreShare(styles.count + orders.count, styles.total + orders.total, reasons)
}

interface Majority {
  readonly kind: string
  readonly count: number
  readonly total: number
  /** A name that does not follow it. */
  readonly exception: string | undefined
}

function majorityOf(tools: readonly ReviewedTool[], kindOf: (name: string) => string | undefined): Majority {
  const namesByKind = new Map<string, string[]>()
  let total = 0
  for (const { name } of tools) {
    const kind = kindOf(name)
    if (kind === undefined) continue
    total++
    const names = namesByKind.get(kind) ?? []
    names.push(name)
    namesByKind.set(kind, names)
  }
  const [first, second] = [...namesByKind].sort((a, b) => b[1].length - a[1].length)
  return { kind: first?.[0] ?? '', count: first?.[1].length ?? 0, total, exception: second?.[1][0] }
}

function describeMajority(what: string, { kind, count, total, exception }: Majority): string[] {
  if (total === 0) return []
  const but = exception === undefined ? '' : `; \`${exception.slice(0, 80)}\` is not`
  return [`${what}: ${count} of ${total} are ${kind}${but}`]
}

function caseStyleOf(name: string): string | undefined {
  const styles = [
    [/_/, 'snake_case'],
    [/-/, 'kebab-case'],
    [/[./]/, 'dotted'],
    [/\p{Ll}\p{Lu}/u, 'camelCase'],
  ] as const
  const found = styles.filter(([pattern]) => pattern.test(name.slice(0, 256))).map(([, style]) => style)
  return found.length === 0 ? undefined : found.join(' with ')
}

function wordOrderOf(name: string): string | undefined {
  const words = nameWords(name)
  if (words.length < 2) return undefined
  if (verbOf(words[0]!) !== undefined) return 'verb first'
  return verbOf(words.at(-1)!) === undefined ? 'without a verb' : 'verb last'
}
