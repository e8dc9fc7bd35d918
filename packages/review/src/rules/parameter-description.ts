import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { ownValue, resolveReference, type Schema } from '../schema/schema.ts'
import { parametersOf, type Subschema } from '../schema/walk-schema.ts'
import { defineRule, type Problem } from './support/define-rule.ts'
import { listNames } from './support/list-names.ts'

export const parameterDescription: Rule = defineRule(
  'parameter-description',
  'warning',
  'Every parameter has a description, including nested ones.',
  function* (tool) {
    const undescribed = parametersOf(tool).filter(
      ({ schema }) => !isDescribed(schema) && !isDescribed(resolveReference(tool.inputSchema, schema)),
    )
    const isNested = ({ owner }: Subschema): boolean => owner !== tool.inputSchema
    yield* problemOf(undescribed.filter((parameter) => !isNested(parameter)))
    const nested = undescribed.filter(isNested)
    for (const problem of problemOf(nested, 'nested '))
      yield tool.curfew === undefined ? { ...problem, severity: 'note' } : problem
  },
)

function problemOf(parameters: readonly Subschema[], kind = ''): Problem[] {
  const [first] = parameters
  if (first === undefined) return []
  const names = [...new Set(parameters.map(({ name }) => name))]
  const message =
    names.length === 1
      ? `${kind}parameter ${quote(first.name)} has no description`
      : `${names.length} ${kind}parameters have no description: ${listNames(names)}`
  return [{ pointer: first.pointer, message, count: parameters.length }]
}

function isDescribed(schema: Schema): boolean {
  const description = ownValue(schema, 'description')
  return typeof description === 'string' && description.trim() !== ''
}
