import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { asSchema, listOf, own } from '../schema/schema.ts'
import { schemaPlaces } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword, shown } from './support/fragment.ts'

export const requiredUnknown: Rule = defineRule(
  'required-unknown',
  'error',
  'What is required is one of the properties.',
  function* (tool) {
    for (const { pointer, schema, kind } of schemaPlaces(tool).places) {
      // Branches may well speak of the properties of the whole.
      if (kind === 'part' || kind === 'variant' || own(schema, 'required') === undefined) continue
      if (
        ['allOf', 'anyOf', 'oneOf', '$ref', 'patternProperties'].some(
          (found) => own(schema, found) !== undefined,
        )
      )
        continue
      const properties = asSchema(own(schema, 'properties'))
      const required = listOf(own(schema, 'required')).slice(0, 1_000)
      const unknown = required.filter((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))
      if (unknown.length === 0) continue
      const known = required.filter((name) => !unknown.includes(name))
      const meant = nearProperty(unknown[0], properties, known)
      const rewrite = keyword('required', meant === undefined ? known : [...known, meant])
      const message = `${unknown
        .slice(0, 5)
        .map((name) => (typeof name === 'string' ? quote(name) : shown(name)))
        .join(', ')} is required and is no property`
      yield { pointer: `${pointer}/required`, message, rewrite }
    }
  },
)

/** The same words, written otherwise: `userId` for `user_id`. */
function nearProperty(name: unknown, properties: object, taken: readonly unknown[]): string | undefined {
  const words = typeof name === 'string' ? nameWords(name).join('') : ''
  const free = Object.keys(properties)
    .slice(0, 1_000)
    .filter((key) => !taken.includes(key))
  return (
    free.find((key) => nameWords(key).join('') === words) ??
    free.find((key) => nameWords(key).join('').startsWith(words.slice(0, 3)) && words !== '')
  )
}
