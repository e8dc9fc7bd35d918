import { quote } from '../../language/printable.ts'
import type { Subschema } from '../../schema/walk-schema.ts'
import type { Problem } from './define-rule.ts'
import { listNames } from './list-names.ts'

/** One problem for all parameters that lack the same thing; none if there are none. */
export function parametersProblem(parameters: readonly Subschema[], missing: string): Problem[] {
  const [first] = parameters
  if (first === undefined) return []
  const names = [...new Set(parameters.map(({ name }) => name))]
  const message =
    names.length === 1
      ? `parameter ${quote(first.name)} has no ${missing}`
      : `${names.length} parameters have no ${missing}: ${listNames(names)}`
  return [{ pointer: first.pointer, message, count: parameters.length }]
}
