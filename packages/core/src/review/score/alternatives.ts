import type { Sentence } from '../language/words.ts'
import type { ReviewedParameter } from '../schema/top-parameters.ts'
import type { SiblingIndex } from './siblings.ts'

const quoted = /['"`‘“]([A-Za-z][\w./-]{1,63})['"`’”]/g
const bare = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g
/** Without one of these a name in a sentence is not an offer. */
const offers: ReadonlySet<string> = new Set(
  'use see call prefer instead unlike than alternative alternatively try replaced via with'.split(' '),
)

/** The other tools that the sentences send a reader to: quoted, or written like a name. */
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
    for (const [, name] of text.matchAll(quoted))
      if (!taken.has(name!) && isName(name!, siblings)) found.add(name!)
    for (const [name] of text.matchAll(bare)) if (!taken.has(name)) found.add(name)
  }
  return [...found].slice(0, 20)
}

/** A quoted word with a dot may be a file (`package.json`), unless a tool is called so. */
function isName(name: string, siblings: SiblingIndex): boolean {
  return siblings.names.has(name) || !/[./]/.test(name)
}
