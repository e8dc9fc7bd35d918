import { nameWords, ownName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { parametersOf } from '../schema/schema-places.ts'
import { expandBeside, expandFrom, isUnresolved } from './support/abbreviations.ts'
import { betterName, withPrefix } from './support/better-name.ts'
import { defineRule } from './support/define-rule.ts'
import { proseOf } from './support/prose.ts'

export const nameAbbreviation: Rule = defineRule(
  'name-abbreviation',
  'warning',
  'The words of a name are written out, or known to everybody.',
  function* (tool, siblings) {
    const words = nameWords(ownName(tool).local)
    const unresolved = words.filter((word) => isUnresolved(word) && !isCapitalised(word, tool.description))
    if (unresolved.length === 0) return
    const text = [
      ...nameWords((tool.title ?? '').slice(0, 200)),
      ...proseOf(tool)
        .sentences.slice(0, 3)
        .flatMap((sentence) =>
          sentence
            .slice(0, 500)
            .toLowerCase()
            .split(/[^a-z\d]+/),
        ),
      ...parametersOf(tool)
        .slice(0, 20)
        .flatMap(({ name }) => nameWords(name)),
    ].filter((word) => word !== '')
    const full = words.map((word) =>
      unresolved.includes(word) ? expandFrom(word, text) : expandBeside(word),
    )
    const rewrite = full.includes(undefined)
      ? betterName(tool, siblings)
      : withPrefix(
          tool,
          siblings,
          (full as string[]).flatMap((word) => word.split('_')),
        )
    const message = `the name ${quote(tool.name)} has ${unresolved.slice(0, 5).map(quote).join(', ')} in it, which a model has to guess`
    yield { pointer: '/name', message, rewrite }
  },
)

/** What the description writes in capitals is a name of its own: `search_by_jql`, a JQL query. */
function isCapitalised(word: string, description: string | undefined): boolean {
  const text = (description ?? '').slice(0, 1_000)
  return text !== text.toUpperCase() && text.split(/[^\p{L}\p{N}]+/u).includes(word.toUpperCase())
}
