import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
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

/** Frequent function words of other languages that are not English words. */
const foreignWords: Readonly<Record<string, ReadonlySet<string>>> = {
  German: words(
    'der das und nicht ein eine einen einer eines mit für von zu dem des auf ist sind wird werden oder alle aus bei nach über zum zur',
  ),
  French: words('le la les des du une et dans avec ce cette ces est sont aux ou qui un au ses leur'),
  Spanish: words('el los las una unos para por del que son su sus al este esta un'),
  Portuguese: words('os um uma para com por dos das que é são seu sua ao este esta ou em'),
  Italian: words('il lo gli una del della dei delle che è sono questo questa un nel nella'),
  Dutch: words('het een voor zijn wordt niet alle naar uit bij deze'),
}
const englishWords = words(
  'the a an of to and for in with from by is are on at this that it or as be all its',
)

const languagesOf = new Map<string, string[]>()
for (const [language, known] of Object.entries(foreignWords)) {
  for (const word of known) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language])
}

/** The language of a string whose function words are not English. */
function detectForeignLanguage(text: string): string | undefined {
  const tokens = text
    .slice(0, 2_000)
    .toLowerCase()
    .split(/[^\p{L}']+/u)
  if (tokens.length < 4) return undefined
  const found = new Map<string, string[]>()
  let english = 0
  for (const word of tokens) {
    if (englishWords.has(word)) english++
    for (const language of languagesOf.get(word) ?? [])
      found.set(language, [...(found.get(language) ?? []), word])
  }
  for (const [language, matches] of found) {
    if (new Set(matches).size >= 2 && matches.length > english * 2) return language
  }
  return undefined
}

function words(list: string): Set<string> {
  return new Set(list.split(' '))
}
