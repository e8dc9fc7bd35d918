import { nameWords } from '../language/name-words.ts'
import { verbOf } from '../language/verbs.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { scoreOfShare } from './share.ts'

/** One way to write names, and one order of verb and thing. A name of one word fits with all. */
export function scoreNaming(tools: readonly ReviewedTool[]): DimensionScore {
  const styles = most(tools, styleOf)
  const orders = most(tools, orderOf)
  const evidence = [...described('style', styles), ...described('order', orders)]
  if (evidence.length === 0) evidence.push('all names are of one word')
  return scoreOfShare(styles.good + orders.good, styles.all + orders.all, evidence)
}

interface Majority {
  readonly name: string
  readonly good: number
  readonly all: number
  readonly odd: string | undefined
}

function most(tools: readonly ReviewedTool[], kindOf: (name: string) => string | undefined): Majority {
  const kinds = new Map<string, string[]>()
  let all = 0
  for (const { name } of tools) {
    const kind = kindOf(name)
    if (kind === undefined) continue
    all++
    const names = kinds.get(kind) ?? []
    names.push(name)
    kinds.set(kind, names)
  }
  const [first, second] = [...kinds].sort((a, b) => b[1].length - a[1].length)
  return { name: first?.[0] ?? '', good: first?.[1].length ?? 0, all, odd: second?.[1][0] }
}

function described(what: string, { name, good, all, odd }: Majority): string[] {
  if (all === 0) return []
  const exception = odd === undefined ? '' : `; \`${odd.slice(0, 80)}\` is not`
  return [`${what}: ${good} of ${all} are ${name}${exception}`]
}

function styleOf(name: string): string | undefined {
  const styles = [
    [/_/, 'snake_case'],
    [/-/, 'kebab-case'],
    [/[./]/, 'dotted'],
    [/\p{Ll}\p{Lu}/u, 'camelCase'],
  ] as const
  const found = styles.filter(([pattern]) => pattern.test(name.slice(0, 256))).map(([, style]) => style)
  return found.length === 0 ? undefined : found.join(' with ')
}

function orderOf(name: string): string | undefined {
  const words = nameWords(name)
  if (words.length < 2) return undefined
  if (verbOf(words[0]!) !== undefined) return 'verb first'
  return verbOf(words.at(-1)!) === undefined ? 'without a verb' : 'verb last'
}
