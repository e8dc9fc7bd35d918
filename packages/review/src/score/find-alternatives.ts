import type { Sentence } from '../language/tokenise-sentences.ts'
import type { ReviewedParameter } from '../schema/top-level-parameters.ts'

/** A quoted name, or one in snake_case. */
const names = /['"`‘“]([A-Za-z][\w./-]{1,63})['"`’”]|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g
/** The words directly before the name of an alternative. */
const offer =
  /\b(?:use|using|see|see also|call|calling|prefer|try|than|unlike|instead of|replaced by|alternatives?:?)(?: the| tools?)?\s$/i
const maxOfferLength = 30

/** The other tools that the sentences refer a reader to. A quoted word may also be a value: `with "high" priority`. */
export function findAlternatives(
  sentences: readonly Sentence[],
  toolName: string,
  parameters: readonly ReviewedParameter[],
  siblingNames: ReadonlySet<string>,
): string[] {
  const excluded = new Set([toolName, ...parameters.map(({ name }) => name)])
  const found = new Set<string>()
  for (const { text } of sentences) {
    for (const { 0: match, 1: name = match, index } of text.matchAll(names)) {
      if (excluded.has(name)) continue
      const before = text.slice(Math.max(0, index - maxOfferLength), index)
      if (siblingNames.has(name) || (offer.test(before) && !/[./]/.test(name))) found.add(name)
    }
  }
  return [...found].slice(0, 20)
}
