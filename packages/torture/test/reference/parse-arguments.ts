import { isMutant } from './mutation.ts'
import { findProblem } from './validate.ts'

/** Tools may replace it. */
const { parse } = JSON

/** Why a call cannot run. */
export class InvalidArguments {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** The arguments as an object that the schema allows. */
export function parseArguments(
  text: string,
  schema: Readonly<Record<string, unknown>>,
): object | InvalidArguments {
  const value = toValue(text)
  if (value instanceof InvalidArguments) return value
  if (isMutant('no-validation')) return (value || {}) as object
  const problem = findProblem(value, schema, 'the arguments')
  if (problem === null) return isMutant('merges-arguments') ? (merge({}, value) as object) : (value as object)
  return new InvalidArguments(isMutant('vague-validation') ? 'it was rejected' : problem)
}

function toValue(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return isMutant('uses-replaced-globals') ? JSON.parse(text) : parse(text)
  } catch (error) {
    if (isMutant('repairs-json')) return repair(text)
    return new InvalidArguments(`the arguments are no valid JSON: ${(error as Error).message}`)
  }
}

/** The first object, with what seems to be missing. */
function repair(text: string): unknown {
  const [start = ''] = text.split('}')
  return parse(start.split('"').length % 2 === 0 ? `${start}"}` : `${start}}`)
}

/** Also into the prototype of all objects. */
function merge(target: Record<string, unknown>, source: unknown): unknown {
  for (const [key, value] of Object.entries(source as object)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) target[key] = value
    else target[key] = merge((target[key] as Record<string, unknown>) ?? {}, value)
  }
  return target
}
