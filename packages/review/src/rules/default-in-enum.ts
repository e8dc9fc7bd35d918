import type { ReviewedTool } from '../review-types.ts'
import { ownValue } from '../schema/schema.ts'
import { walkSchema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'
import { subschemaLabel } from './support/subschema-label.ts'

export function* defaultInEnum(tool: ReviewedTool): Generator<Problem> {
  for (const subschema of walkSchema(tool).subschemas) {
    const { pointer, schema } = subschema
    const choices = ownValue(schema, 'enum')
    if (!Array.isArray(choices) || choices.length === 0 || !Object.hasOwn(schema, 'default')) continue
    const value = schema.default
    if (isAmong(value, choices)) continue
    const similar = choices.filter((choice) => normalise(choice) === normalise(value))
    const intended = normalise(value) === '' || similar.length > 1 ? undefined : similar[0]
    const message = `the default ${formatValue(value)} of ${subschemaLabel(subschema)} is not one of its enum values`
    yield {
      pointer,
      message,
      // Only the case differs.
      ...(intended !== undefined && {
        rewrite: formatKeyword('default', intended),
        fix: { pointer: `${pointer}/default`, value: intended },
      }),
    }
  }
}

function isAmong(value: unknown, choices: readonly unknown[]): boolean {
  if (typeof value !== 'object' || value === null) return choices.includes(value)
  return choices.some((choice) => typeof choice === 'object' && formatValue(choice) === formatValue(value))
}

function normalise(value: unknown): string {
  return typeof value === 'object' ? '' : String(value).toLowerCase()
}
