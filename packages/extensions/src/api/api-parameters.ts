import type { JsonSchema } from '@curfew/core'
import type { ApiParameter, ParameterType } from './api-file.ts'

type Report = (field: string, message: string) => void

/** The parameters of the file as JSON Schema. Those used in the URL or a header are required unless the file says `required: false`. */
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
        ([name, { required, default: fallback }]) => !isGiven(fallback) && (required ?? placed.has(name)),
      )
      .map(([name]) => name),
    additionalProperties: false,
  }
}

export function checkParameters(parameters: Readonly<Record<string, ApiParameter>>, report: Report): void {
  for (const [name, { type, default: fallback, enum: choices }] of Object.entries(parameters)) {
    const at = (field: string): string => `parameters.${name}${field}`
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (name === '' || name === '__proto__' || name.length > 128 || /[\u0000-\u001f\u007f]/.test(name)) {
      report(at(''), 'is not usable as a name')
    }
    const wrong = choices?.find((choice) => !isOfType(choice, type))
    if (wrong !== undefined) report(at('.enum'), `${JSON.stringify(wrong)} is no ${type}`)
    if (!isGiven(fallback)) continue
    if (!isOfType(fallback, type)) report(at('.default'), `${JSON.stringify(fallback)} is no ${type}`)
    else if (choices !== undefined && !choices.includes(fallback)) {
      report(at('.default'), `${JSON.stringify(fallback)} is not in enum`)
    }
  }
}

/** May it be empty in a path? Only if the file says so explicitly: `DELETE /items/` is not `DELETE /items/7`. */
export function mayBeEmpty({ required, default: fallback }: ApiParameter): boolean {
  return isGiven(fallback) ? fallback === '' && required !== true : required === false
}

function toSchema({ type, description, default: fallback, enum: choices, items }: ApiParameter): JsonSchema {
  return {
    type,
    ...(description !== undefined && { description }),
    ...(choices !== undefined && { enum: choices }),
    ...(type === 'array' && { items: items ?? {} }),
    ...(isGiven(fallback) && { default: fallback }),
  }
}

/** Some programs write `null` for no default. */
function isGiven(fallback: unknown): boolean {
  return fallback !== undefined && fallback !== null
}

function isOfType(value: unknown, type: ParameterType): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
