import { verbOf } from '../language/verbs.ts'
import type { DimensionScore, ReviewedTool } from '../review-types.ts'
import { hasGenericName } from '../rules/support/generic-words.ts'
import { localWords } from '../rules/support/name-index.ts'
import { codeName } from './point-tally.ts'
import { scoreShare } from './score-share.ts'

/** Do the names share one style and one order of verb and noun, and does each say what the tool does? */
export function scoreNaming(tools: readonly ReviewedTool[]): DimensionScore {
  const reasons: string[] = []
  const exceptions = new Set<ReviewedTool>()
  const kinds = {
    style: tools.map(({ name }) => caseStyleOf(name.slice(0, 256))),
    order: tools.map((tool) => wordOrderOf(localWords(tool, tools))),
  }
  for (const [what, kindOf] of Object.entries(kinds)) {
    const known = kindOf.filter((kind) => kind !== undefined)
    const counts = new Map<string, number>()
    for (const kind of known) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    const [majority] = [...counts].sort((a, b) => b[1] - a[1])
    if (majority === undefined) continue
    const [kind, count] = majority
    const others = tools.filter((_, index) => (kindOf[index] ?? kind) !== kind)
    for (const tool of others) exceptions.add(tool)
    const but = others.length === 0 ? '' : `; ${codeName(others[0])} is not`
    reasons.push(`${what}: ${count} of ${known.length} are ${kind}${but}`)
  }
  const generic = tools.filter(hasGenericName)
  for (const tool of generic) exceptions.add(tool)
  if (generic.length > 0)
    reasons.push(`${generic.length} of ${tools.length} are generic, such as ${codeName(generic[0])}`)
  if (reasons.length === 0) reasons.push('all names are single words')
  return scoreShare(tools.length - exceptions.size, tools.length, reasons)
}

/** Undefined for a single word, which fits any style. */
function caseStyleOf(name: string): string | undefined {
  const separators = [...new Set(name.match(/[_./-]|(?<=\p{Ll})(?=\p{Lu})/gu))].sort()
  return separators.length === 0 ? undefined : separators.map((each) => styles[each]).join(' with ')
}

const styles: Readonly<Record<string, string>> = {
  '': 'camelCase',
  _: 'snake_case',
  '-': 'kebab-case',
  '.': 'dotted',
  '/': 'a path',
}

function wordOrderOf(words: readonly string[]): string | undefined {
  if (words.length < 2) return undefined
  if (verbOf(words[0]!) !== undefined) return 'verb first'
  return verbOf(words.at(-1)!) === undefined ? 'without a verb' : 'verb last'
}
