import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { formatName, suggestName } from './support/suggest-name.ts'

/** Dots, slashes and double underscores separate namespaces, and each part may have its own style. */
const namespaces = /[./]|__+/

/** Anything but letters, digits and `_-./`. Letters of other scripts are reported by another rule. */
const invalidCharacter = /[\s!-,:-@[-^`{-~]/g

export const nameSeparators: Rule = defineRule(
  'name-separators',
  'warning',
  'The words of a name are all separated in the same way, which every client accepts.',
  function* (tool, siblings) {
    const { local } = splitName(tool)
    const rewrite = (): string => {
      const words = nameWords(local)
      return words.length === 0 ? suggestName(tool, siblings) : formatName(tool, siblings, words)
    }
    const invalid = [...new Set(local.match(invalidCharacter))]
    if (invalid.length > 0) {
      const shown = invalid
        .slice(0, 5)
        .map((character) => (/\s/.test(character) ? 'a space' : quote(character)))
      const message = `the name ${quote(tool.name)} contains ${shown.join(' and ')}, which clients do not accept`
      yield { pointer: '/name', message, rewrite: rewrite() }
      return
    }
    const mixed = local.split(namespaces).find((part) => separatorsOf(part).length > 1)
    if (mixed === undefined) return
    const message = `the name ${quote(tool.name)} mixes ${separatorsOf(mixed).join(' and ')}`
    yield { pointer: '/name', message, rewrite: rewrite() }
  },
)

function separatorsOf(part: string): string[] {
  return [
    ...(part.includes('_') ? ['underscores'] : []),
    ...(part.includes('-') ? ['hyphens'] : []),
    ...(/\s/.test(part) ? ['spaces'] : []),
    ...(/\p{Ll}\p{Lu}/u.test(part) ? ['capitals'] : []),
  ]
}
