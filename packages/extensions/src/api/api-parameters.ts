import type { JsonSchema } from '@curfew/core'
import type { ApiParameter, ParameterType } from './api-file.ts'

type Report = (field: string, message: string) => void

/** The parameters of the file as JSON Schema. Those used in the URL or a header are required unless the file sets `required: false`. */
export function parametersToSchema(
  parameters: Readonly<Record<string, ApiParameter>>,
  placed: ReadonlySet<string>,
): JsonSchema {
  const entries = Object.entries(parameters)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, toSchema(parameter)])),
    required: entries
      .filter(
        ([name, { required, default: fallback }]) => !hasDefault(fallback) && (required ?? placed.has(name)),
      )
      .map(([name]) => name),
    additionalProperties: false,
  }
}

export function checkParameters(parameters: Readonly<Record<string, ApiParameter>>, report: Report): void {
  for (const [name, { type, default: fallback, enum: choices }] of Object.entries(parameters)) {
    const at = (field: string): string => `parameters.${name}${field}`
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are intended
    if (name === '' || name === '__proto__' || name.length > 128 || /[\u0000-\u001f\u007f]/.test(name)) {
      report(at(''), 'expected a name of at most 128 characters without control characters')
    }
    const mismatch = choices?.find((choice) => !isOfType(choice, type))
    if (mismatch !== undefined)
      report(at('.enum'), `expected values of type ${type}, got ${JSON.stringify(mismatch)}`)
    if (!hasDefault(fallback)) continue
    if (!isOfType(fallback, type))
      report(at('.default'), `expected a value of type ${type}, got ${JSON.stringify(fallback)}`)
    else if (choices !== undefined && !choices.includes(fallback)) {
      report(at('.default'), `expected one of enum, got ${JSON.stringify(fallback)}`)
    }
  }
}

/** A parameter may be empty in a path only if the file allows it explicitly: `DELETE /items/` is not `DELETE /items/7`. */
export function mayBeEmpty({ required, default: fallback }: ApiParameter): boolean {
  return hasDefault(fallback) ? fallback === '' && required !== true : required === false
}

function toSchema({ type, description, default: fallback, enum: choices, items }: ApiParameter): JsonSchema {
  return {
    type,
    ...(description !== undefined && { description }),
    ...(choices !== undefined && { enum: choices }),
    ...(type === 'array' && { items: items ?? {} }),
    ...(hasDefault(fallback) && { default: fallback }),
  }
}

/** Some programs write `null` if there is no default. */
function hasDefault(fallback: unknown): boolean {
  return fallback !== undefined && fallback !== null
}

function isOfType(value: unknown, type: ParameterType): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
