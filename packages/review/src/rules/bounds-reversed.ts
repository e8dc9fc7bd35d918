import type { Rule } from '../review-types.ts'
import { own } from '../schema/schema.ts'
import { schemaPlaces } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { keyword } from './support/fragment.ts'
import { placeName } from './support/place-name.ts'

const pairs = [
  ['minimum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['exclusiveMinimum', 'maximum'],
  ['minimum', 'exclusiveMaximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const

/** Nothing that a model can write will do. */
export const boundsReversed: Rule = defineRule(
  'bounds-reversed',
  'error',
  'The lower limit is not above the upper one.',
  function* (tool) {
    for (const place of schemaPlaces(tool).places) {
      const { pointer, schema } = place
      for (const [low, high] of pairs) {
        const from = own(schema, low)
        if (typeof from !== 'number') continue
        const to = own(schema, high)
        if (typeof to !== 'number') continue
        const excluding = low.startsWith('exclusive') || high.startsWith('exclusive')
        if (excluding ? from < to : from <= to) continue
        const message = `${placeName(place)} has ${low} ${from} and ${high} ${to}: nothing is in between`
        // The same number twice: it is let in.
        const names = from === to ? (['minimum', 'maximum'] as const) : ([low, high] as const)
        yield { pointer, message, rewrite: `${keyword(names[0], to)}, ${keyword(names[1], from)}` }
      }
    }
  },
)
