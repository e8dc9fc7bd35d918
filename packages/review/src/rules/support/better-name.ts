import { leadOf } from '../../language/lead.ts'
import { joinWords, nameWords, ownName, styleOf } from '../../language/name-words.ts'
import { verbOf } from '../../language/verbs.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { expandWord } from './abbreviations.ts'
import { betterDescription, objectFromParameters } from './better-description.ts'
import { genericNouns, genericVerbs, isGeneric } from './generic-words.ts'
import { siblingIndex } from './siblings.ts'

const skipped = new Set(
  `a an the this that these those given specified provided new existing specific single multiple all any some its your their one two of
complete entire detailed various particular certain current`.split(/\s+/),
)
const stops = new Set(
  `and or for from in into on onto to with by at as about via using through between within of that which when where if then than so but not without over under per
based matching is are`.split(/\s+/),
)
const mostWords = 3

/** A name made of the verb and the object that the definition speaks of, in the style of the others. */
export function betterName(tool: ReviewedTool, siblings: readonly ReviewedTool[]): string {
  const { local } = ownName(tool)
  const words = nameWords(local).map(expandWord)
  const sentence = betterDescription(tool)
  const lead = leadOf(sentence)
  const object = objectWords(lead.after)
  const fromParameters = objectFromParameters(tool).split(' ')
  const verb = lead.verb ?? verbOf(words[0] ?? '')?.base ?? 'get'
  const candidates = [object, fromParameters].map((nouns) => [verb, ...nouns.slice(0, mostWords)])
  const better = candidates.find((candidate) => !isGeneric(candidate)) ?? [verb, '<noun>']
  return withPrefix(tool, siblings, better)
}

/** The words of the sentence one after the other, for a name that must differ from another one. */
export function longerName(tool: ReviewedTool, siblings: readonly ReviewedTool[]): string {
  const words = nameWords(betterDescription(tool).slice(0, 200)).filter(
    (word) => !skipped.has(word) || word === 'of',
  )
  const end = words.findIndex((word, index) => index >= 4 && !stops.has(word))
  const kept = words.slice(0, end < 0 ? mostWords + 2 : Math.min(end, mostWords + 2))
  while (stops.has(kept.at(-1) ?? '')) kept.pop()
  return withPrefix(tool, siblings, kept)
}

/** The same words, as names are written here. */
export function withPrefix(
  tool: ReviewedTool,
  siblings: readonly ReviewedTool[],
  words: readonly string[],
): string {
  const { prefix, local } = ownName(tool)
  const others = siblings.length > 1 ? siblingIndex(siblings).style : (styleOf(local) ?? 'snake')
  return prefix + joinWords(words, others)
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
    if (found.length >= mostWords || (/[,;:.()]$/.test(raw) && found.length > 0)) break
  }
  return found.slice(0, mostWords)
}
