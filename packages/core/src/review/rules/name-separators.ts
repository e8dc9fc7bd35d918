import { nameWords, ownName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { withPrefix } from './support/better-name.ts'
import { defineRule } from './support/define-rule.ts'

/** Dots, slashes and double underscores part a namespace from a name, so each part may have a style of its own. */
const namespaces = /[./]|__+/

export const nameSeparators: Rule = defineRule(
  'name-separators',
  'warning',
  'The words of a name are all parted in the same way.',
  function* (tool, siblings) {
    const { local } = ownName(tool)
    const mixed = local.split(namespaces).find((part) => separatorsOf(part).length > 1)
    if (mixed === undefined) return
    const message = `the name ${quote(tool.name)} mixes ${separatorsOf(mixed).join(' and ')}`
    yield { pointer: '/name', message, rewrite: withPrefix(tool, siblings, nameWords(local)) }
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
