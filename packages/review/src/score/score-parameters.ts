import { nameWords } from '../language/name-words.ts'
import { contentWords, wordsOf } from '../language/tokenise-sentences.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ReviewedParameter } from '../schema/top-level-parameters.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { createTally } from './point-tally.ts'

/** Does the text explain the parameters beyond the schema, and is the schema specific? */
export function scoreParameters(analysis: ToolAnalysis): DimensionScore {
  const { parameters, sentences, substance } = analysis
  if (parameters.length === 0) {
    const named = sentences.find(({ text }) => namesArguments.test(text))
    const value = named === undefined ? 4 : 2
    const reason =
      named === undefined
        ? 'it has no parameters'
        : `the schema has no parameters, but the text names some ("${named.text.slice(0, 60)}")`
    return { score: value, evidence: [{ kind: 'total', value, reason }] }
  }
  const described = parameters.filter(isDescribed)
  const missing = parameters.find((parameter) => !described.includes(parameter))
  const share = coverageOf(analysis)
  const coverage = `${described.length} of ${parameters.length} parameters are described`
  const example = missing === undefined ? '' : ` (\`${missing.name.slice(0, 80)}\` is not)`
  const base = share > 0.8 ? 3 : share >= 0.5 ? 2 : share > 0 || substance >= 6 ? 1.5 : 1
  const tally = createTally(base, `${coverage}${example}`)
  const explanation = sentences.find(
    ({ words, text }) => parameters.some(({ name }) => mentions(name, words, text)) && explains.test(text),
  )
  tally.award(
    explanation !== undefined,
    `the text explains a parameter ("${explanation?.text.slice(0, 60)}")`,
    'the text adds nothing to the schema',
  )
  const unspecific = parameters.find((parameter) => !isSpecific(parameter))
  tally.award(
    unspecific === undefined && 0.5,
    'every parameter has a range, format or choice where one applies, and every optional one a default',
    `the schema does not constrain \`${unspecific?.name.slice(0, 80)}\``,
  )
  const empty = parameters.filter(({ schema }) => !meanings.some((keyword) => Object.hasOwn(schema, keyword)))
  const isMostlyEmpty = empty.length > parameters.length / 2
  const reason = `the schema does not say what \`${empty[0]?.name.slice(0, 80)}\` can be`
  return tally.total(isMostlyEmpty ? { score: 2, reason } : undefined)
}

const namesArguments = /^\W{0,4}(?:args|arguments|parameters|params|inputs?)\W{0,4}:(?!\s*none)/i

/** Keywords without which a parameter can be anything. */
const meanings = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'properties', 'items']

/** Names that need no explanation. */
const paging = /^(?:limit|offset|cursor|page|per_?page|page_?size)$/i

/** The share of parameters that are described; those that the text mentions count half. */
export function coverageOf({ parameters, sentences }: ToolAnalysis): number {
  if (parameters.length === 0) return 1
  const words = new Set(sentences.flatMap(({ content }) => content))
  const covered = parameters.reduce((sum, parameter) => {
    if (isDescribed(parameter)) return sum + 1
    const isMentioned = contentWords(nameWords(parameter.name)).some((word) => words.has(word))
    return isMentioned || paging.test(parameter.name) ? sum + 0.5 : sum
  }, 0)
  return covered / parameters.length
}

/** A description that only repeats the name does not count: `The comment id.` */
function isDescribed({ name, description }: ReviewedParameter): boolean {
  const words = contentWords(wordsOf(description.slice(0, 1_000))).join(' ')
  return words !== '' && words !== contentWords(nameWords(name)).join(' ')
}

/** Words about syntax, defaults and how parameters interact. */
const explains =
  /\b(?:defaults?|must|format\w*|e\.g|for example|such as|either|unless|overrides?|overridden|combin\w+|together with|when set|if set|if omitted|omit\w*|empty|optional|required|only (?:one|if|when)|seconds|milliseconds|iso 8601|glob|regex\w*|pattern|example|parameter|between \d+)\b|:[A-Z_a-z]+,/i

/** Whether a sentence names the parameter; a plain word such as `path` counts only in quotes or with the word "parameter". */
function mentions(name: string, words: readonly string[], text: string): boolean {
  if (!words.includes(name.toLowerCase())) return false
  if (/[_A-Z-]/.test(name.slice(1))) return true
  return ["'", '"', '`'].some((mark) => text.includes(`${mark}${name}${mark}`)) || words.includes('parameter')
}

const constraints = [
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'examples',
  'anyOf',
  'oneOf',
  'allOf',
  'items',
  'properties',
  'default',
]

/** Whether an optional parameter has a default, and any but a boolean a constraint. */
function isSpecific({ schema, required }: ReviewedParameter): boolean {
  if (!required && !Object.hasOwn(schema, 'default')) return false
  return schema.type === 'boolean' || constraints.some((keyword) => Object.hasOwn(schema, keyword))
}
