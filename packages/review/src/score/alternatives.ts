import type { Sentence } from '../language/words.ts'
import type { ReviewedParameter } from '../schema/top-parameters.ts'
import type { SiblingIndex } from './siblings.ts'

/** A name in quotes, or written like one. */
const names = /['"`‘“]([A-Za-z][\w./-]{1,63})['"`’”]|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g
/** What stands right before a name that is offered. */
const offer =
  /\b(?:use|using|see|see also|call|calling|prefer|try|than|unlike|instead of|replaced by|rather than|alternatives?:?)(?: the| tool| tools)?\s$/i
const longestOffer = 30
/** Without one of these the name of a sibling is no offer either. */
const offers: ReadonlySet<string> = new Set(
  'use see call prefer instead unlike than alternative alternatively try replaced via with'.split(' '),
)

/** The other tools that the sentences send a reader to. A word in quotes may be a value: `with "high" priority`. */
export function alternativesIn(
  sentences: readonly Sentence[],
  ownName: string,
  parameters: readonly ReviewedParameter[],
  siblings: SiblingIndex,
): string[] {
  const taken = new Set([ownName, ...parameters.map(({ name }) => name)])
  const found = new Set<string>()
  for (const { text, words } of sentences) {
    if (!words.some((word) => offers.has(word))) continue
    for (const { 0: whole, 1: name = whole, index } of text.matchAll(names)) {
      if (taken.has(name)) continue
      const isOffered = offer.test(text.slice(Math.max(0, index - longestOffer), index))
      if (siblings.names.has(name) || (isOffered && !isFile(name))) found.add(name)
    }
  }
  return [...found].slice(0, 20)
}

/** `package.json`, unless a tool is called so. */
function isFile(name: string): boolean {
  return /[./]/.test(name)
}
