import { nameWords, splitName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { parametersOf } from '../schema/walk-schema.ts'
import { expandCompanion, expandFrom, isUnknownAbbreviation } from './support/abbreviations.ts'
import { defineRule } from './support/define-rule.ts'
import { descriptionProse } from './support/description-prose.ts'
import { formatName, suggestName } from './support/suggest-name.ts'

export const nameAbbreviation: Rule = defineRule(
  'name-abbreviation',
  'warning',
  'The words of a name are spelled out or commonly known.',
  function* (tool, siblings) {
    const words = nameWords(splitName(tool).local)
    const unknown = words.filter(
      (word) => isUnknownAbbreviation(word) && !isCapitalised(word, tool.description),
    )
    if (unknown.length === 0) return
    const context = [
      ...nameWords((tool.title ?? '').slice(0, 200)),
      ...descriptionProse(tool)
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
    const expanded = words.map((word) =>
      unknown.includes(word) ? expandFrom(word, context) : expandCompanion(word),
    )
    const rewrite = expanded.includes(undefined)
      ? suggestName(tool, siblings)
      : formatName(
          tool,
          siblings,
          (expanded as string[]).flatMap((word) => word.split('_')),
        )
    const message = `the name ${quote(tool.name)} contains ${unknown.slice(0, 5).map(quote).join(', ')}, which a model has to guess`
    yield { pointer: '/name', message, rewrite }
  },
)

/** An abbreviation that the description writes in capitals is a proper name: `search_by_jql`, a JQL query. */
function isCapitalised(word: string, description: string | undefined): boolean {
  const text = (description ?? '').slice(0, 1_000)
  return text !== text.toUpperCase() && text.split(/[^\p{L}\p{N}]+/u).includes(word.toUpperCase())
}
