import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { detectForeignLanguage } from './support/detect-language.ts'
import { asciiDescriptions, nonAsciiStrings, type VisibleString } from './support/visible-strings.ts'
import { firstNonLatinLetter, scriptOf } from './support/writing-systems.ts'

/** Models select and call tools most reliably in English. */
export const englishOnly: Rule = defineRule(
  'english-only',
  'warning',
  'Names and descriptions are in English.',
  function* (tool) {
    for (const found of [...nonAsciiStrings(tool), ...asciiDescriptions(tool)]) {
      if (found.kind === 'value') continue
      const message = problem(found)
      if (message === undefined) continue
      yield { pointer: found.pointer, message }
    }
  },
)

function problem({ text, what, kind }: VisibleString): string | undefined {
  const letter = firstNonLatinLetter(text)
  if (letter !== undefined) return `${what} contains ${scriptOf(letter)} letters: ${quote(text)}`
  const language =
    kind === 'description' || kind === 'parameter-description' ? detectForeignLanguage(text) : undefined
  return language === undefined ? undefined : `${what} seems to be ${language}: ${quote(text)}`
}
