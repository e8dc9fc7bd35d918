import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import type { Schema } from '../schema/schema.ts'
import { defineRule } from './support/define-rule.ts'
import { documentedDefault } from './support/documented-default.ts'
import { formatProperty, formatValue } from './support/format-json.ts'
import { listNames } from './support/list-names.ts'
import { type DescribedParameter, describedParameters } from './support/parameter-prose.ts'

/** A model that omits a parameter should know what happens then, and programs read only the schema. */
export const optionalDefault: Rule = defineRule(
  'optional-default',
  'warning',
  'Optional parameters declare a default.',
  function* (tool) {
    const missing = describedParameters(tool).filter(
      ({ required, complete }) => required === 'never' && !Object.hasOwn(complete, 'default'),
    )
    const stated = new Map<Schema | undefined, (readonly [DescribedParameter, unknown])[]>()
    const unstated: DescribedParameter[] = []
    for (const parameter of missing) {
      const value = documentedDefault(parameter.prose, parameter.complete)
      if (value === undefined) unstated.push(parameter)
      else stated.set(parameter.owner, [...(stated.get(parameter.owner) ?? []), [parameter, value]])
    }
    for (const parameters of stated.values()) {
      const values = parameters.map(([{ name }, value]) => `${quote(name)} (${formatValue(value)})`)
      const what = parameters.length === 1 ? 'a default' : `${parameters.length} defaults`
      yield {
        pointer: parameters[0]![0].pointer,
        message: `the schema lacks ${what} that the text states: ${values.join(', ')}`,
        rewrite: parameters.map(([{ name }, value]) => formatProperty(name, { default: value })).join(', '),
        count: parameters.length,
      }
    }
    if (unstated.length === 0) return
    const names = [...new Set(unstated.map(({ name }) => name))]
    yield {
      pointer: unstated[0]!.pointer,
      message:
        names.length === 1
          ? `parameter ${quote(names[0]!)} is optional but has no default`
          : `${names.length} parameters are optional but have no default: ${listNames(names)}`,
      count: unstated.length,
      // Published schemas rarely say more than that a parameter can be omitted.
      ...(tool.curfew === undefined && { severity: 'note' as const }),
    }
  },
)
