import { nameWords } from '../language/name-words.ts'
import { contentWords, wordsOf } from '../language/tokenise-sentences.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ReviewedParameter } from '../schema/top-level-parameters.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { createTally } from './point-tally.ts'

/** Does the text explain the parameters beyond the schema, and is the schema specific? */
export function scoreParameters({ parameters, sentences }: ToolAnalysis): DimensionScore {
  if (parameters.length === 0)
    return { score: 4, evidence: [{ kind: 'total', value: 4, reason: 'it has no parameters' }] }
  const described = parameters.filter(isDescribed)
  const missing = parameters.find((parameter) => !described.includes(parameter))
  const share = described.length / parameters.length
  const coverage = `${described.length} of ${parameters.length} parameters are described`
  const example = missing === undefined ? '' : ` (\`${missing.name.slice(0, 80)}\` is not)`
  const tally = createTally(share > 0.8 ? 3 : share >= 0.5 ? 2 : 1, `${coverage}${example}`)
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
    unspecific === undefined,
    'every parameter has a range, format or choice where one applies, and every optional one a default',
    `the schema does not constrain \`${unspecific?.name.slice(0, 80)}\``,
  )
  return tally.total()
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
