import { nameWords, ownName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { betterName, withPrefix } from './support/better-name.ts'
import { defineRule } from './support/define-rule.ts'

/** Dots, slashes and double underscores part a namespace from a name, so each part may have a style of its own. */
const namespaces = /[./]|__+/

/** What is neither a letter, a digit nor one of `_-./`. Letters of other scripts are found elsewhere. */
const untaken = /[\s!-,:-@[-^`{-~]/g

export const nameSeparators: Rule = defineRule(
  'name-separators',
  'warning',
  'The words of a name are all parted in the same way, which every client takes.',
  function* (tool, siblings) {
    const { local } = ownName(tool)
    const rewrite = (): string => {
      const words = nameWords(local)
      return words.length === 0 ? betterName(tool, siblings) : withPrefix(tool, siblings, words)
    }
    const strange = [...new Set(local.match(untaken))]
    if (strange.length > 0) {
      const shown = strange
        .slice(0, 5)
        .map((character) => (/\s/.test(character) ? 'a space' : quote(character)))
      const message = `the name ${quote(tool.name)} has ${shown.join(' and ')} in it, which clients do not take`
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
