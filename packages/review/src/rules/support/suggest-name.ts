import { joinWords, nameWords, splitName, styleOf } from '../../language/name-words.ts'
import { parseOpening } from '../../language/parse-opening.ts'
import { verbOf } from '../../language/verbs.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { expandWord } from './abbreviations.ts'
import { genericNouns, genericVerbs, isGeneric } from './generic-words.ts'
import { nameIndexOf } from './name-index.ts'
import { objectFromParameters, suggestDescription } from './suggest-description.ts'

const skipped = new Set(
  `a an the this that these those given specified provided new existing specific single multiple all any some its your their one two of
complete entire detailed various particular certain current`.split(/\s+/),
)
const stops = new Set(
  `and or for from in into on onto to with by at as about via using through between within of that which when where if then than so but not without over under per
based matching is are`.split(/\s+/),
)
const maxWords = 3

/** Derives a name from the verb and object of the description, in the style of the siblings. */
export function suggestName(tool: ReviewedTool, siblings: readonly ReviewedTool[]): string {
  const { local } = splitName(tool)
  const words = nameWords(local).map(expandWord)
  const sentence = suggestDescription(tool)
  const opening = parseOpening(sentence)
  const object = objectWords(opening.after)
  const fromParameters = objectFromParameters(tool).split(' ')
  const verb = opening.verb ?? verbOf(words[0] ?? '')?.base ?? 'get'
  const candidates = [object, fromParameters].map((nouns) => [verb, ...nouns.slice(0, maxWords)])
  const specific = candidates.find((candidate) => !isGeneric(candidate)) ?? [verb, '<noun>']
  return formatName(tool, siblings, specific)
}

/** A longer name from the words of the description, to distinguish it from another one. */
export function suggestLongerName(tool: ReviewedTool, siblings: readonly ReviewedTool[]): string {
  const words = nameWords(suggestDescription(tool).slice(0, 200)).filter(
    (word) => !skipped.has(word) || word === 'of',
  )
  const end = words.findIndex((word, index) => index >= 4 && !stops.has(word))
  const kept = words.slice(0, end < 0 ? maxWords + 2 : Math.min(end, maxWords + 2))
  while (stops.has(kept.at(-1) ?? '')) kept.pop()
  return formatName(tool, siblings, kept)
}

/** Joins words in the style of the siblings, after the prefix of the tool. */
export function formatName(
  tool: ReviewedTool,
  siblings: readonly ReviewedTool[],
  words: readonly string[],
): string {
  const { prefix, local } = splitName(tool)
  const style = siblings.length > 1 ? nameIndexOf(siblings).style : (styleOf(local) ?? 'snake')
  return prefix + joinWords(words, style)
}

function objectWords(text: string): string[] {
  const found: string[] = []
  for (const raw of text.slice(0, 400).split(/\s+/)) {
    if (raw === '') continue
    const word = raw.toLowerCase().replace(/[^a-z\d-]/g, '')
    if (stops.has(word) || /^-+$/.test(word)) {
      if (found.length > 0) break
      continue
    }
    if (word !== '' && !skipped.has(word) && !genericVerbs.has(word) && !genericNouns.has(word))
      found.push(...word.split('-').filter(Boolean))
    if (found.length >= maxWords || (/[,;:.()]$/.test(raw) && found.length > 0)) break
  }
  return found.slice(0, maxWords)
}
