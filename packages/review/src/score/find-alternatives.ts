import { nameWords } from '../language/name-words.ts'
import type { Sentence } from '../language/tokenise-sentences.ts'
import { verbOf } from '../language/verbs.ts'
import type { ReviewedParameter } from '../schema/top-level-parameters.ts'

/** A quoted name, or one in snake_case. */
const names = /['"`‘“]([A-Za-z][\w./-]{1,63})['"`’”]|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g
/** The words directly before the name of an alternative. */
const offer =
  /\b(?:use|using|see|see also|call|calling|prefer|try|than|unlike|instead of|replaced by|rather than|alternatives?:?)(?: the| tool| tools)?\s$/i
const maxOfferLength = 30
/** In the middle of a sentence, a name that consists of a verb and its object is also one: `an id from list_models`. */
const source = /\b(?:with|via|from|by|through|in|first,?)(?: the)?\s$/i
/** A sentence without any of these offers no alternative, even if it names a sibling. */
const offerWords: ReadonlySet<string> = new Set(
  'use see call prefer instead unlike than alternative alternatively try replaced via with from by through'.split(
    ' ',
  ),
)

/** The other tools that the sentences refer a reader to. A quoted word may also be a value: `with "high" priority`. */
export function findAlternatives(
  sentences: readonly Sentence[],
  toolName: string,
  parameters: readonly ReviewedParameter[],
  siblingNames: ReadonlySet<string>,
): string[] {
  const excluded = new Set([toolName, ...parameters.map(({ name }) => name)])
  const found = new Set<string>()
  for (const { text, words } of sentences) {
    if (!words.some((word) => offerWords.has(word))) continue
    for (const { 0: match, 1: name = match, index } of text.matchAll(names)) {
      if (excluded.has(name)) continue
      const before = text.slice(Math.max(0, index - maxOfferLength), index)
      const isOffered = offer.test(before) || (source.test(before) && looksLikeTool(name))
      if (siblingNames.has(name) || (isOffered && !looksLikeFile(name))) found.add(name)
    }
  }
  return [...found].slice(0, 20)
}

/** `list_models`, `contacts_find` */
function looksLikeTool(name: string): boolean {
  const words = nameWords(name)
  return words.length > 1 && (verbOf(words[0]!) ?? verbOf(words.at(-1)!))?.form === 'base'
}

/** `package.json` */
function looksLikeFile(name: string): boolean {
  return /[./]/.test(name)
}
