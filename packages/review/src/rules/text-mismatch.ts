import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { ownValue, type Schema, typesOf } from '../schema/schema.ts'
import type { Problem } from './support/define-rule.ts'
import { documentedDefault } from './support/documented-default.ts'
import { formatValue } from './support/format-json.ts'
import { describedParameters } from './support/parameter-prose.ts'

/** A model believes one of the two, and the server does the other. */
export function* textMismatch(tool: ReviewedTool): Generator<Problem> {
  for (const { name, pointer, complete, prose } of describedParameters(tool)) {
    for (const [keyword, stated] of mismatches(complete, prose.slice(0, 1_000))) {
      const message = `parameter ${quote(name)} has the ${keyword} ${formatValue(complete[keyword])}, but its description says ${formatValue(stated)}`
      yield { pointer, message }
    }
  }
}

function* mismatches(schema: Schema, prose: string): Generator<readonly [keyword: string, stated: unknown]> {
  const declared = ownValue(schema, 'default')
  const stated = documentedDefault(prose, schema)
  if (declared !== undefined && declared !== null && declared !== '' && stated !== undefined)
    if (formatValue(stated) !== formatValue(declared)) yield ['default', stated]
  const [min, max, unit = /^/] = boundsOf[typesOf(schema)[0] ?? ''] ?? []
  for (const [keyword, side] of [
    [min, 'from'],
    [max, 'to'],
  ] as const) {
    const bound = ownValue(schema, keyword ?? '')
    // Generators emit the largest safe integer for "any".
    if (typeof bound !== 'number' || Math.abs(bound) >= Number.MAX_SAFE_INTEGER) continue
    const numbers = statedBounds(prose, side, unit)
    // With other numbers or conditions, the text is about something else.
    if (numbers.length === 1 && numbers[0] !== bound && isPlain(prose, schema)) yield [keyword!, numbers[0]]
  }
}

/** The keywords for a type, and what has to follow a number in the text to be about them. */
const boundsOf: Readonly<Record<string, readonly [min: string, max: string, unit?: RegExp]>> = {
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  string: ['minLength', 'maxLength', /^\s*(?:characters?|chars?)\b/i],
  array: ['minItems', 'maxItems', /^\s*(?:items?|entries|elements?|values?)\b/i],
}

const number = String.raw`(-?\d{1,3}(?:,\d{3})+|-?\d{1,12}(?:\.\d{1,6})?)(?![\d.,]*\d|\s?%)`
const limit = String.raw`(?:\s*(?:of|is|value))?\s*[:=]?\s*`
const range = String.raw`(?:\bbetween\s+|\brange:?\s*|\bfrom\s+|\()(?<low>${number})\s*(?:-|–|to|and)\s*(?<high>${number})`
const patterns = {
  from: new RegExp(
    String.raw`\b(?:min(?:imum)?|at least|no less than)${limit}(?<one>${number})|${range}`,
    'gi',
  ),
  to: new RegExp(
    String.raw`\b(?:max(?:imum)?|at most|up to|no more than)${limit}(?<one>${number})|${range}`,
    'gi',
  ),
}

const conditions =
  /\b(?:for|per|except|unless|recommend\w*|typical\w*|usual\w*|e\.?g|or|means?|with|of the|in|free|plans?|admins?|[km]b|mib|gb)\b/i

/** Whether the text has no conditions, and no numbers besides one range and the default. */
function isPlain(prose: string, schema: Schema): boolean {
  const numbers = new Set(prose.match(/\d[\d.,]*\d|\d/g) ?? [])
  numbers.delete(String(ownValue(schema, 'default')))
  return numbers.size <= 2 && !conditions.test(prose)
}

function statedBounds(text: string, side: 'from' | 'to', unit: RegExp): number[] {
  const found: number[] = []
  for (const { 0: match, index, groups } of text.matchAll(patterns[side])) {
    const { one, low, high } = groups!
    if (unit.test(text.slice(index + match.length)))
      found.push(Number((one ?? (side === 'from' ? low : high))!.replaceAll(',', '')))
  }
  return found
}
