import { nameWords } from '../language/name-words.ts'
import { contentWords, wordsOf } from '../language/words.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ReviewedParameter } from '../schema/top-parameters.ts'
import { startAt } from './points.ts'
import type { Reading } from './reading.ts'

/** Does the text clarify the parameters beyond the schema, and does the schema leave nothing open? */
export function scoreParameters({ parameters, sentences }: Reading): DimensionScore {
  if (parameters.length === 0) return { score: 4, evidence: ['4: it has no parameters'] }
  const described = parameters.filter(isDescribed)
  const missing = parameters.find((parameter) => !described.includes(parameter))
  const share = described.length / parameters.length
  const coverage = `${described.length} of ${parameters.length} parameters are described`
  const example = missing === undefined ? '' : ` (\`${missing.name.slice(0, 80)}\` is not)`
  const points = startAt(share > 0.8 ? 3 : share >= 0.5 ? 2 : 1, `${coverage}${example}`)
  const named = sentences.find(
    ({ words, text }) => parameters.some(({ name }) => mentions(name, words, text)) && explains.test(text),
  )
  points.point(
    named !== undefined,
    `the text explains a parameter ("${named?.text.slice(0, 60)}")`,
    'the text adds nothing to the schema',
  )
  const open = parameters.find((parameter) => !isSettled(parameter))
  points.point(
    open === undefined,
    'each parameter has a range, a form or a choice where one fits, and each optional one its default',
    `the schema leaves \`${open?.name.slice(0, 80)}\` open`,
  )
  return points.total()
}

/** A description that only repeats the name describes nothing: `The comment id.` */
function isDescribed({ name, description }: ReviewedParameter): boolean {
  const said = contentWords(wordsOf(description.slice(0, 1_000))).join(' ')
  return said !== '' && said !== contentWords(nameWords(name)).join(' ')
}

/** Words of syntax, of defaults, of how parameters act on each other. */
const explains =
  /\b(?:defaults?|must|format\w*|e\.g|for example|such as|either|unless|overrides?|overridden|combin\w+|together with|when set|if set|if omitted|omit\w*|empty|optional|required|only (?:one|if|when)|seconds|milliseconds|iso 8601|glob|regex\w*|pattern|example|parameter|between \d+)\b|:[A-Z_a-z]+,/i

/** By its name as it is written; a plain word like `path` must be quoted or called a parameter. */
function mentions(name: string, words: readonly string[], text: string): boolean {
  if (!words.includes(name.toLowerCase())) return false
  if (/[_A-Z-]/.test(name.slice(1))) return true
  return ["'", '"', '`'].some((mark) => text.includes(`${mark}${name}${mark}`)) || words.includes('parameter')
}

const bounds = [
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

/** Nothing is left to guess: optional ones have a default, and what is not yes or no has a bound of some kind. */
function isSettled({ schema, required }: ReviewedParameter): boolean {
  if (!required && !Object.hasOwn(schema, 'default')) return false
  return schema.type === 'boolean' || bounds.some((keyword) => Object.hasOwn(schema, keyword))
}
