import type { Rule } from '../review-types.ts'
import { expandFrom, isUnresolved } from './support/abbreviations.ts'
import { betterName, withPrefix } from './support/better-name.ts'
import { defineRule, quote } from './support/define-rule.ts'
import { ownName, wordsOf } from './support/name-words.ts'
import { proseOf } from './support/prose.ts'
import { parametersOf } from './support/schema-places.ts'

export const nameAbbreviation: Rule = defineRule(
  'name-abbreviation',
  'warning',
  'The words of a name are written out, or known to everybody.',
  function* (tool, siblings) {
    const words = wordsOf(ownName(tool).local)
    const unresolved = words.filter(isUnresolved)
    if (unresolved.length === 0) return
    const text = [
      ...wordsOf((tool.title ?? '').slice(0, 200)),
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
        .flatMap(({ name }) => wordsOf(name)),
    ].filter((word) => word !== '')
    const full = words.map((word) => (isUnresolved(word) ? expandFrom(word, text) : word))
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
