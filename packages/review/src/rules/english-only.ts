import { quote } from '../language/printable.ts'
import type { ReviewedTool, Rule } from '../review-types.ts'
import { parametersOf } from '../schema/schema-places.ts'
import { sentenceFromName } from './support/better-description.ts'
import { betterName } from './support/better-name.ts'
import { defineRule } from './support/define-rule.ts'
import { foreignLanguage } from './support/languages.ts'
import { describeParameter } from './support/parameter-text.ts'
import { firstForeignLetter, scriptOf } from './support/scripts.ts'
import { plainDescriptions, strangeTexts, type VisibleText } from './support/visible-texts.ts'

/** Models choose and call best in English; other languages belong into what is shown to people. */
export const englishOnly: Rule = defineRule(
  'english-only',
  'warning',
  'Names and descriptions are in English.',
  function* (tool, siblings) {
    for (const found of [...strangeTexts(tool), ...plainDescriptions(tool)]) {
      if (found.kind === 'value') continue
      const message = problem(found)
      if (message === undefined) continue
      yield { pointer: found.pointer, message, rewrite: inEnglish(found, tool, siblings) }
    }
  },
)

function problem({ text, what, kind }: VisibleText): string | undefined {
  const letter = firstForeignLetter(text)
  if (letter !== undefined) return `${what} has ${scriptOf(letter)} letters in it: ${quote(text)}`
  const language =
    kind === 'description' || kind === 'parameter-description' ? foreignLanguage(text) : undefined
  return language === undefined ? undefined : `${what} seems to be ${language}: ${quote(text)}`
}

/** What the English parts of the definition tell. */
function inEnglish(found: VisibleText, tool: ReviewedTool, siblings: readonly ReviewedTool[]): string {
  const named = isEnglish(tool.name)
  switch (found.kind) {
    case 'name': {
      const description = isEnglish(tool.description ?? '') ? tool.description : tool.title
      const usable = description !== undefined && isEnglish(description) ? description : undefined
      return betterName(
        { ...tool, name: 'get', description: usable, inputSchema: latinParameters(tool) },
        siblings,
      )
    }
    case 'description': {
      const rest = found.text.replace(/\s*[([][^()[\]]{1,200}[)\]]/g, (brackets) =>
        isEnglish(brackets) ? brackets : '',
      )
      if (isEnglish(rest) && /\p{L}+\s+\p{L}+/u.test(rest)) return rest
      return sentenceFromName({
        ...tool,
        name: named ? tool.name : 'get',
        inputSchema: latinParameters(tool),
      })
    }
    case 'parameter-name':
      return '<its name in English>'
    default: {
      if (found.parameter === '' || !isEnglish(found.parameter)) return '<the same in English>'
      const place = parametersOf(tool).find(({ pointer }) => `${pointer}/description` === found.pointer)
      return describeParameter(found.parameter, place?.schema ?? {})
    }
  }
}

function latinParameters(tool: ReviewedTool): ReviewedTool['inputSchema'] {
  const names = parametersOf(tool)
    .map(({ name }) => name)
    .filter(isEnglish)
  return { properties: Object.fromEntries(names.map((name) => [name, {}])) }
}

function isEnglish(text: string): boolean {
  return firstForeignLetter(text) === undefined && foreignLanguage(text) === undefined
}
