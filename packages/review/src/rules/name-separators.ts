import { splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { nameIndexOf } from './support/name-index.ts'

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
