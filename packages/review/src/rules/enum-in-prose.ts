import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { ownValue, type Schema, typesOf } from '../schema/schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword } from './support/format-json.ts'
import { listNames } from './support/list-names.ts'
import { describedParameters } from './support/parameter-prose.ts'

const quoted = String.raw`(?:"[\w./:-]{1,40}"|'[\w./:-]{1,40}'|\x60[\w./:-]{1,40}\x60)`
const separator = String.raw`\s*(?:,\s*(?:or|and)?|\||\/|\bor\b|\band\b)\s*`
/** `one of "a", "b"`, `one of: a, b` */
const announced = new RegExp(
  String.raw`\b(?:one of|must be(?: one of)?|(?:valid|allowed|possible|supported|accepted) (?:values?|options?|choices)(?: are)?)\b\s*:?\s*\(?((?:${quoted})(?:${separator}(?:${quoted})){1,20})`,
  'i',
)
const announcedBare =
  /\b(?:one of|(?:valid|allowed|possible|supported|accepted) (?:values?|options?|choices)(?: are)?)\s*:\s*((?:[\w-]{1,40})(?:\s*(?:,|\|)\s*(?:or\s+)?[\w-]{1,40}){1,20})(?=\s*(?:[.;)\n]|$))/i
const example = /(?:\be\.?g\b|\bsuch as|\bfor example|\blike|\bexamples?|\binclud\w+|\bi\.e)[^.]{0,60}$/i

/** Special values besides ordinary ones, examples of names, and numbers. */
const notChoices = /^(?:etc|\d+|true|false|none|any|null|main|master|v?\d[\d.]*)$|[./:]/i

/** Without an enum, a model can pass anything, and clients cannot offer the choices. */
export function* enumInProse(tool: ReviewedTool): Generator<Problem> {
  for (const { name, pointer, complete, prose } of describedParameters(tool)) {
    if (!isFreeString(complete)) continue
    const text = prose.slice(0, 1_000)
    const values = listed(text)
    if (values === undefined) continue
    const message = `parameter ${quote(name)} lists its values only in the text: ${listNames(values)}`
    yield { pointer, message, rewrite: formatKeyword('enum', values) }
  }
}

function listed(text: string): readonly string[] | undefined {
  for (const pattern of [announced, announcedBare]) {
    const match = pattern.exec(text)
    if (match === null) continue
    const before = text.slice(0, match.index)
    const after = text.slice(match.index + match[0].length)
    // A further sentence may open the list again.
    if (example.test(before) || /\b(?:deprecated|was)\b/i.test(before)) continue
    if (!/^[\s.)]*(?:\(?defaults?[^.]{0,40}\.?)?$/i.test(after)) continue
    const values = [...new Set(match[1]!.match(/[\w./:-]{1,40}/g))].filter(
      (value) => value !== 'or' && value !== 'and',
    )
    if (values.length < 2 || values.some((value) => notChoices.test(value))) continue
    return values
  }
  return undefined
}

function isFreeString(schema: Schema): boolean {
  const types = typesOf(schema)
  if (!types.includes('string') || types.some((type) => type !== 'string' && type !== 'null')) return false
  return !['enum', 'const', 'pattern', 'format', 'anyOf', 'oneOf', 'allOf'].some(
    (keyword) => ownValue(schema, keyword) !== undefined,
  )
}
