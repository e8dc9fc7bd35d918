import { nameWords } from '../language/name-words.ts'
import { contentWords, wordsOf } from '../language/tokenise-sentences.ts'
import { toolTextOf } from '../language/tool-text.ts'
import type { ReviewedTool } from '../review-types.ts'
import { asArray, asSchema, ownValue, resolveReference, type Schema, typesOf } from '../schema/schema.ts'
import { parametersOf, type Subschema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { parametersProblem } from './support/parameters-problem.ts'

/** For published definitions, obvious and nested parameters are a note. */
export function* parameterDescription(tool: ReviewedTool): Generator<Problem> {
  const undescribed = parametersOf(tool).filter(({ schema }) => !isDescribed(tool, schema))
  if (tool.curfew !== undefined) return yield* parametersProblem(undescribed, 'description')
  const known = new Set(contentWords([...nameWords(tool.name), ...wordsOf(toolTextOf(tool).text)]))
  const isDeprecated = /^\W*deprecated\b/i.test(tool.description ?? '')
  const isMinor = (parameter: Subschema): boolean =>
    isDeprecated || parameter.owner !== tool.inputSchema || isObvious(parameter, known)
  yield* parametersProblem(
    undescribed.filter((parameter) => !isMinor(parameter)),
    'description',
  )
  for (const problem of parametersProblem(undescribed.filter(isMinor), 'description'))
    yield { ...problem, severity: 'note' }
}

/** Whether the parameter, what it refers to, or one of its alternatives has a description. */
function isDescribed(tool: ReviewedTool, schema: Schema): boolean {
  const target = resolveReference(tool.inputSchema, schema)
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
    asArray(ownValue(target, keyword)).slice(0, 50),
  )
  return [schema, target, ...alternatives.map(asSchema)].some((each) => {
    const description = ownValue(each, 'description')
    return typeof description === 'string' && description.trim() !== ''
  })
}

const vocabulary =
  /^(?:(?:.*_)?(?:ids?|number)|limit|offset|skip|page|page_(?:size|number|offset|token)|per_page|(?:start_|next_)?cursor|sort|order|(?:sort|order)_by|include_.*|owner|repo)$/

/** An identifier, pagination, a choice, a wrapper of other parameters, or a word of the tool's own text. */
function isObvious({ name, schema }: Subschema, known: ReadonlySet<string>): boolean {
  const words = nameWords(name)
  if (vocabulary.test(words.join('_')) || typesOf(schema).includes('object')) return true
  if ([schema, ownValue(schema, 'items')].some((each) => ownValue(each, 'enum') !== undefined)) return true
  return contentWords(words).every((word) => known.has(word))
}
