import type { Rule } from '../review-types.ts'
import { own } from '../schema/schema.ts'
import { schemaPlaces } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword, shown } from './support/fragment.ts'
import { placeName } from './support/place-name.ts'

export const defaultInEnum: Rule = defineRule(
  'default-in-enum',
  'error',
  'A default is one of the choices.',
  function* (tool) {
    for (const place of schemaPlaces(tool).places) {
      const { pointer, schema } = place
      const choices = own(schema, 'enum')
      if (!Array.isArray(choices) || choices.length === 0 || !Object.hasOwn(schema, 'default')) continue
      const written = schema.default
      if (isAmong(written, choices)) continue
      const meant =
        plain(written) === '' ? undefined : choices.find((choice) => plain(choice) === plain(written))
      const message = `the default ${shown(written)} of ${placeName(place)} is none of its choices`
      const value = meant ?? choices[0]
      yield {
        pointer,
        message,
        rewrite: keyword('default', value),
        // Only how it is written was wrong.
        ...(meant !== undefined && { fix: { pointer: `${pointer}/default`, value } }),
      }
    }
  },
)

function isAmong(value: unknown, choices: readonly unknown[]): boolean {
  if (typeof value !== 'object' || value === null) return choices.includes(value)
  return choices.some((choice) => typeof choice === 'object' && shown(choice) === shown(value))
}

function plain(value: unknown): string {
  return typeof value === 'object' ? '' : String(value).toLowerCase()
}
