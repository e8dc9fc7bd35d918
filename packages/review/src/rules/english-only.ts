import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { detectForeignLanguage } from './support/detect-language.ts'
import { asciiDescriptions, nonAsciiStrings, type VisibleString } from './support/visible-strings.ts'
import { firstNonLatinLetter, scriptOf } from './support/writing-systems.ts'

/** Models select and call tools most reliably in English. */
export function* englishOnly(tool: ReviewedTool): Generator<Problem> {
  for (const found of [...nonAsciiStrings(tool), ...asciiDescriptions(tool)]) {
    if (found.kind === 'value') continue
    const message = problem(found)
    if (message === undefined) continue
    yield { pointer: found.pointer, message }
  }
}

function problem({ text, what, kind }: VisibleString): string | undefined {
  const isProse = kind !== 'name' && kind !== 'parameter-name'
  const letter = firstNonLatinLetter(isProse ? withoutExamples(text) : text)
  if (letter !== undefined && !(isProse && isMostlyLatin(text)))
    return `${what} contains ${scriptOf(letter)} letters: ${quote(text)}`
  const language =
    kind === 'description' || kind === 'parameter-description' ? detectForeignLanguage(text) : undefined
  return language === undefined ? undefined : `${what} seems to be ${language}: ${quote(text)}`
}

/** Examples in quotes or brackets may be in the language of the data. */
function withoutExamples(text: string): string {
  return text
    .slice(0, 2_000)
    .replace(
      /"[^"\n]{0,200}"|'[^'\n]{0,200}'|`[^`\n]{0,200}`|“[^”\n]{0,200}”|\[[^\]\n]{0,500}\]|\{[^}\n]{0,500}\}/g,
      ' ',
    )
}

/** A name or a term of another language in an English text. */
function isMostlyLatin(text: string): boolean {
  const letters = text.slice(0, 2_000).match(/\p{L}/gu) ?? []
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter))
  return latin.length >= letters.length * 0.9
}
