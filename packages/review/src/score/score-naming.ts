import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { isGenericName, localNames, verbIndexOf } from './name-patterns.ts'
import { scoreShare } from './score-share.ts'

/** Do the names share one style and one order of verb and noun, and does each say what the tool does? */
export function scoreNaming(tools: readonly ReviewedTool[]): DimensionScore {
  const names = localNames(tools)
  const styles = majorityOf(
    tools,
    tools.map(({ name }) => caseStyleOf(name)),
  )
  const orders = majorityOf(tools, names.map(wordOrderOf))
  const generic = tools.filter(isGenericName)
  const exceptions = new Set([...styles.exceptions, ...orders.exceptions, ...generic])
  const reasons = [...describeMajority('style', styles), ...describeMajority('order', orders)]
  if (generic.length > 0)
    reasons.push(`${generic.length} of ${tools.length} are generic, such as ${quoted(generic)}`)
  if (reasons.length === 0) reasons.push('all names are single words')
  return scoreShare(tools.length - exceptions.size, tools.length, reasons)
}

interface Majority {
  readonly kind: string
  readonly count: number
  readonly total: number
  /** Tools that do not follow it. */
  readonly exceptions: readonly ReviewedTool[]
}

/** The most frequent kind; names without one fit any. */
function majorityOf(tools: readonly ReviewedTool[], kinds: readonly (string | undefined)[]): Majority {
  const counts = new Map<string, number>()
  for (const kind of kinds) if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const [[kind, count] = ['', 0]] = [...counts].sort((a, b) => b[1] - a[1])
  const exceptions = tools.filter((_, index) => (kinds[index] ?? kind) !== kind)
  return { kind, count, total: count + exceptions.length, exceptions }
}

function describeMajority(what: string, { kind, count, total, exceptions }: Majority): string[] {
  if (total === 0) return []
  const but = exceptions.length === 0 ? '' : `; ${quoted(exceptions)} is not`
  return [`${what}: ${count} of ${total} are ${kind}${but}`]
}

function quoted([first]: readonly ReviewedTool[]): string {
  return `\`${first?.name.slice(0, 80)}\``
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

function wordOrderOf(words: readonly string[]): string | undefined {
  if (words.length < 2) return undefined
  const verbAt = verbIndexOf(words)
  if (verbAt < 0) return 'without a verb'
  return verbAt === 0 ? 'verb first' : 'verb last'
}
