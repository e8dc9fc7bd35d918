import { nameWords } from '../language/name-words.ts'
import { contentWords, type Sentence, wordsOf } from '../language/tokenise-sentences.ts'
import type { DimensionScore } from '../review-types.ts'
import type { ReviewedParameter } from '../schema/top-level-parameters.ts'
import type { ToolAnalysis } from './analyse-tool.ts'
import { codeName, createTally, excerpt, fixedScore } from './point-tally.ts'

/** Does the text explain the parameters beyond the schema, and is the schema specific? */
export function scoreParameters(analysis: ToolAnalysis): DimensionScore {
  const { parameters, sentences } = analysis
  if (parameters.length === 0) {
    const named = sentences.find(({ text }) => namesArguments.test(text))
    if (named === undefined) return fixedScore(4, 'it has no parameters')
    return fixedScore(2, `the schema has no parameters, but the text names some (${excerpt(named.text)})`)
  }
  const missing = parameters.filter((parameter) => !isDescribed(parameter))
  const share = coverageOf(analysis)
  const base = 1 + Math.round(share * 4) / 2
  const tally = createTally(
    base,
    missing.length === 0
      ? 'all parameters are described'
      : `${missing.length} of ${parameters.length} parameters are not described, such as ${codeName(missing[0])}`,
  )
  const explanation = sentences.find(
    (sentence) => explains.test(sentence.text) && parameters.some(({ name }) => mentions(sentence, name)),
  )
  tally.award(
    explanation !== undefined,
    `the text explains a parameter (${excerpt(explanation?.text)})`,
    'the text adds nothing to the schema',
  )
  const unspecific = parameters.find((parameter) => !isSpecific(parameter))
  tally.award(
    unspecific === undefined && 0.5,
    'the schema is specific',
    `the schema does not constrain ${codeName(unspecific)}`,
  )
  const empty = parameters.filter(({ schema }) => !meanings.some((keyword) => Object.hasOwn(schema, keyword)))
  if (empty.length <= parameters.length / 2) return tally.total()
  return tally.total(2, 'most parameters can be anything')
}

const namesArguments = /^\W{0,4}(?:args|arguments|parameters|params|inputs?)\W{0,4}:(?!\s*none)/i

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
  /\b(?:defaults?|must|format\w*|e\.g|such as|either|unless|overrides?|combin\w+|together with|omit\w*|empty|optional|required|only (?:one|if|when)|(?:milli)?seconds|pattern|example|parameter|between \d+)\b/i

/** Whether a sentence names the parameter; a plain word such as `path` counts only in quotes or with the word "parameter". */
function mentions({ words, text }: Sentence, name: string): boolean {
  if (!words.includes(name.toLowerCase())) return false
  if (/[_A-Z-]/.test(name.slice(1)) || words.includes('parameter')) return true
  return ["'", '"', '`'].some((mark) => text.includes(`${mark}${name}${mark}`))
}

/** Keywords without which a parameter can be anything. */
const meanings = 'type enum const anyOf oneOf allOf $ref properties items'.split(' ')
/** Keywords that do not constrain a parameter further. */
const plain: ReadonlySet<string> = new Set(['type', 'title', 'description'])

/** Whether an optional parameter has a default, and any but a boolean a constraint. */
function isSpecific({ schema, required }: ReviewedParameter): boolean {
  if (!required && !Object.hasOwn(schema, 'default')) return false
  return schema.type === 'boolean' || Object.keys(schema).some((keyword) => !plain.has(keyword))
}
