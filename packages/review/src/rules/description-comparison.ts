import { styleOf } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { betterDescription } from './support/better-description.ts'
import { defineRule } from './support/define-rule.ts'
import { proseOf } from './support/prose.ts'
import { siblingIndex } from './support/siblings.ts'

/** Other tools come and go; a description that speaks of them is soon wrong. */
export const descriptionComparison: Rule = defineRule(
  'description-comparison',
  'warning',
  'The description does not speak of other tools.',
  function* (tool, siblings) {
    const { names } = siblingIndex(siblings)
    const { sentences, listItems, blames } = proseOf(tool)
    for (const [index, line] of [...sentences, ...listItems].slice(0, blames.length).entries()) {
      const found = blames[index]
      const phrase = found?.blame === 'comparison' ? found.phrase : siblingIn(line, tool.name, names)
      if (phrase === undefined) continue
      const message = `the description speaks of another tool: ${quote(phrase)}`
      yield { pointer: '/description', message, rewrite: withoutSibling(betterDescription(tool), phrase) }
      return
    }
  },
)

/** A name of several words is not there by chance; a plain word counts only in quotes. */
function siblingIn(line: string, ownName: string, names: ReadonlySet<string>): string | undefined {
  for (const [whole, word = ''] of line.slice(0, 2_000).matchAll(/["'`]?([\w][\w./-]{0,127})["'`]?/g)) {
    const name = word.replace(/[./-]+$/, '')
    if (name === ownName || !names.has(name)) continue
    if (styleOf(name) !== undefined || /^["'`].*["'`]$/.test(whole)) return name
  }
  return undefined
}

/** The sentence up to the name, if it is in the one that is left. */
function withoutSibling(sentence: string, name: string): string {
  const index = sentence.indexOf(name)
  if (index < 0) return sentence
  const kept = sentence
    .slice(0, index)
    .replace(
      /[\s,;:("'`–—-]+(?:(?:of|from|by|with|to|for|that|which|the|tool|returned|given|via|in|like|and|or)[\s"'`]*)*$/i,
      '',
    )
  return kept.split(' ').length > 1 ? `${kept}.` : sentence.replace(name, 'it')
}
