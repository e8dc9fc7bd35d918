import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { ownValue, type Schema, typesOf } from '../schema/schema.ts'
import { defineRule } from './support/define-rule.ts'
import { describedParameters } from './support/parameter-prose.ts'

const number = String.raw`(-?\d{1,3}(?:,\d{3})+|-?\d{1,12}(?:\.\d{1,6})?)(?![\d.,]*\d|\s?%)`
const upper = new RegExp(
  String.raw`\b(?:max(?:imum)?|at most|up to|no more than|not exceed(?:ing)?|less than or equal to|<=)(?:\s*(?:of|is|value))?\s*[:=]?\s*${number}`,
  'gi',
)
const lower = new RegExp(
  String.raw`\b(?:min(?:imum)?|at least|no less than|greater than or equal to|>=)(?:\s*(?:of|is|value))?\s*[:=]?\s*${number}`,
  'gi',
)
const range = new RegExp(
  String.raw`(?:\bbetween\s+|\brange:?\s*|\bfrom\s+|\()${number}\s*(?:-|–|to|and)\s*${number}`,
  'gi',
)

/** A model that follows the text is rejected by the schema, or does not use what it could. */
export const rangeMismatch: Rule = defineRule(
  'range-mismatch',
  'warning',
  'The text and the schema state the same range.',
  function* (tool) {
    for (const { name, pointer, complete, prose } of describedParameters(tool)) {
      const bounds = boundsOf(complete)
      if (bounds === undefined) continue
      const text = prose.slice(0, 1_000)
      const ranges = [...text.matchAll(range)]
      const stated = {
        min: [...numbers(text, lower), ...ranges.map(([, from]) => toNumber(from))],
        max: [...numbers(text, upper), ...ranges.map(([, , to]) => toNumber(to))],
      }
      for (const side of ['min', 'max'] as const) {
        const bound = bounds[side]
        // With several numbers, some are about something else.
        if (bound === undefined || stated[side].length !== 1 || stated[side][0] === bound.value) continue
        const message = `parameter ${quote(name)} has the ${bound.keyword} ${bound.value}, but its description says ${stated[side][0]}`
        yield { pointer, message }
      }
    }
  },
)

interface Bound {
  readonly keyword: string
  readonly value: number
}

/** Only of numbers: a number in the description of a string or an array may count anything. */
function boundsOf(schema: Schema): { readonly min?: Bound; readonly max?: Bound } | undefined {
  const types = typesOf(schema)
  if (!types.includes('integer') && !types.includes('number')) return undefined
  const bound = (keyword: string): Bound | undefined => {
    const value = ownValue(schema, keyword)
    // What generators emit for "any safe integer".
    if (typeof value !== 'number' || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return undefined
    return { keyword, value }
  }
  const min = bound('minimum')
  const max = bound('maximum')
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}

function numbers(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map(([, found]) => toNumber(found))
}

function toNumber(text = ''): number {
  return Number(text.replaceAll(',', ''))
}
