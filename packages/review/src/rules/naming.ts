import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import { singular } from '../language/singular.ts'
import { isNounPhrase } from '../language/starts-with-noun.ts'
import { verbOf } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { isGeneric } from './support/generic-words.ts'
import { endsOf, localWords, nameIndexOf } from './support/name-index.ts'

/** Dots, slashes and double underscores separate namespaces, and each part may have its own style. */
const namespaces = /[./]|__+/

/** Anything but letters, digits and `_-./`. Letters of other scripts are reported by another rule. */
const invalidCharacter = /[\s!-,:-@[-^`{-~]/g

export function* nameSeparators(tool: ReviewedTool, siblings: readonly ReviewedTool[]): Generator<Problem> {
  const { prefix, local } = splitName(tool)
  const invalid = [...new Set(local.match(invalidCharacter))]
  if (invalid.length > 0) {
    const shown = invalid
      .slice(0, 5)
      .map((character) => (/\s/.test(character) ? 'a space' : quote(character)))
    const message = `the name ${quote(tool.name)} contains ${shown.join(' and ')}, which clients do not accept`
    const valid = local
      .trim()
      .replace(/[\s!-,:-@[-^`{-~]+$/, '')
      .replace(/[\s!-,:-@[-^`{-~]+/g, local.includes('-') && !local.includes('_') ? '-' : '_')
    yield {
      pointer: '/name',
      message,
      ...(/^[\p{L}\p{N}][\p{L}\p{N}_./-]*$/u.test(valid) &&
        !/[\p{Cc}\p{Cf}]/u.test(local) &&
        !nameIndexOf(siblings).names.has(prefix + valid) && { rewrite: prefix + valid }),
    }
    return
  }
  const { sharedWord } = nameIndexOf(siblings)
  const isPrefixed =
    sharedWord !== '' && local.startsWith(sharedWord) && /^[_-]/.test(local.slice(sharedWord.length))
  const own = isPrefixed ? local.slice(sharedWord.length + 1) : local
  const mixed = own.split(namespaces).find((part) => separatorsOf(part).length > 1)
  if (mixed === undefined) return
  const message = `the name ${quote(tool.name)} mixes ${separatorsOf(mixed).join(' and ')}`
  // A matter of style, unlike the above.
  yield { pointer: '/name', message, ...(tool.curfew === undefined && { severity: 'note' as const }) }
}

function separatorsOf(part: string): string[] {
  return [
    ...(part.includes('_') ? ['underscores'] : []),
    ...(part.includes('-') ? ['hyphens'] : []),
    ...(/\p{Ll}\p{Lu}/u.test(part) ? ['capitals'] : []),
  ]
}

/** A model confuses names that are nearly the same. Only the later tool is reported, as the first may keep its name. */
export function* nameNearDuplicate(
  tool: ReviewedTool,
  siblings: readonly ReviewedTool[],
): Generator<Problem> {
  const other = nameIndexOf(siblings).near.get(tool)
  if (other === undefined) return
  // With the same name, one of the two cannot be called.
  if (tool.name === other.name) {
    const message = `the name ${quote(tool.name)} is also used by another tool`
    yield { pointer: '/name', message, severity: 'error' }
  } else {
    const similarity =
      wordsKey(tool) === wordsKey(other)
        ? `has the same words as ${quote(other.name)}`
        : `means the same as ${quote(other.name)} (if both do the same, keep one)`
    yield { pointer: '/name', message: `the name ${quote(tool.name)} ${similarity}` }
  }
}

/** Equal for the same words in any style and order, singular or plural. */
function wordsKey(tool: ReviewedTool): string {
  return nameWords(splitName(tool).local).map(singular).sort().join(' ')
}

/** In the stub view a model sees only the name, and a verb without an object could be any tool. */
export function* nameGeneric(tool: ReviewedTool, siblings: readonly ReviewedTool[]): Generator<Problem> {
  const all = nameWords(splitName(tool).local)
  const own = localWords(tool, siblings)
  const isPrefixed = own.length < all.length
  const words = own.length > 1 && own.at(-1) === 'tool' ? own.slice(0, -1) : own
  const problem =
    problemOf(words) ??
    (tool.curfew === undefined
      ? (publishedProblemOf(words, isPrefixed) ?? moreSpecific(tool, siblings))
      : undefined)
  if (problem !== undefined) yield { pointer: '/name', message: `the name ${quote(tool.name)} ${problem}` }
}

const noObject = 'does not say what it acts on'

function problemOf(words: readonly string[]): string | undefined {
  if (words.length === 0) return 'contains no word'
  return isGeneric(words) ? noObject : undefined
}

/** Doubtful enough to be only a note. */
function publishedProblemOf(words: readonly string[], isPrefixed: boolean): string | undefined {
  const [first = '', ...rest] = words
  const isBare =
    rest.length === 0 || (verbOf(first) !== undefined && rest.every((word) => quantities.has(word)))
  if (isBare && /^[a-z]+$/.test(first) && !isPrefixed && !intransitive.has(first)) return noObject
  return isNounPhrase(words) ? 'does not say what the tool does' : undefined
}

const intransitive: ReadonlySet<string> = new Set(['sleep', 'timeout', 'wait', 'whoami'])
const quantities: ReadonlySet<string> = new Set('all any bulk batch many multiple one several'.split(' '))

/** `create_note` next to `create_issue_note` and `create_page_note`. */
function moreSpecific(tool: ReviewedTool, siblings: readonly ReviewedTool[]): string | undefined {
  const words = nameWords(splitName(tool).local)
  const sameEnds = nameIndexOf(siblings).byEnds.get(endsOf(words)) ?? []
  const [first, second] = sameEnds.filter((other) => nameWords(splitName(other).local).length > 2)
  if (words.length !== 2 || first === undefined || second === undefined) return undefined
  return `is more general than ${quote(first.name)} and ${quote(second.name)}`
}
