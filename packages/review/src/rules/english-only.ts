import { quote } from '../language/printable.ts'
import type { ReviewedTool, Rule } from '../review-types.ts'
import { parametersOf } from '../schema/walk-schema.ts'
import { defineRule } from './support/define-rule.ts'
import { describeParameter } from './support/describe-parameter.ts'
import { detectForeignLanguage } from './support/detect-language.ts'
import { descriptionFromName } from './support/suggest-description.ts'
import { suggestName } from './support/suggest-name.ts'
import { asciiDescriptions, nonAsciiStrings, type VisibleString } from './support/visible-strings.ts'
import { firstNonLatinLetter, scriptOf } from './support/writing-systems.ts'

/** Models select and call tools most reliably in English. */
export const englishOnly: Rule = defineRule(
  'english-only',
  'warning',
  'Names and descriptions are in English.',
  function* (tool, siblings) {
    for (const found of [...nonAsciiStrings(tool), ...asciiDescriptions(tool)]) {
      if (found.kind === 'value') continue
      const message = problem(found)
      if (message === undefined) continue
      yield { pointer: found.pointer, message, rewrite: suggestEnglish(found, tool, siblings) }
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

/** A replacement derived from the English parts of the definition. */
function suggestEnglish(found: VisibleString, tool: ReviewedTool, siblings: readonly ReviewedTool[]): string {
  const hasEnglishName = isEnglish(tool.name)
  switch (found.kind) {
    case 'name': {
      const description = isEnglish(tool.description ?? '') ? tool.description : tool.title
      const usable = description !== undefined && isEnglish(description) ? description : undefined
      return suggestName(
        { ...tool, name: 'get', description: usable, inputSchema: latinParameters(tool) },
        siblings,
      )
    }
    case 'description': {
      const rest = found.text.replace(/\s*[([][^()[\]]{1,200}[)\]]/g, (brackets) =>
        isEnglish(brackets) ? brackets : '',
      )
      if (isEnglish(rest) && /\p{L}+\s+\p{L}+/u.test(rest)) return rest
      return descriptionFromName({
        ...tool,
        name: hasEnglishName ? tool.name : 'get',
        inputSchema: latinParameters(tool),
      })
    }
    case 'parameter-name':
      return '<the name in English>'
    default: {
      if (found.parameter === '' || !isEnglish(found.parameter)) return '<the description in English>'
      const subschema = parametersOf(tool).find(({ pointer }) => `${pointer}/description` === found.pointer)
      return describeParameter(found.parameter, subschema?.schema ?? {})
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
  return firstNonLatinLetter(text) === undefined && detectForeignLanguage(text) === undefined
}
