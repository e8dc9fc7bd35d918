import { CurfewError } from '../errors/curfew-error.ts'
import { messageOf } from '../errors/message-of.ts'
import { parseJson } from '../json/parse-json.ts'
import { convertArgument } from './convert-argument.ts'

/** The arguments that a person typed, before the tool's schema is known. */
export interface TypedArguments {
  /** Any JSON value, though only an object is valid; `undefined` if there is none. */
  readonly json: unknown
  /** `NAME=VALUE` and `NAME:=JSON`, in order. */
  readonly pairs: readonly Pair[]
}

interface Pair {
  readonly name: string
  readonly value: string
  readonly isJson: boolean
}

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Parses JSON and `NAME=VALUE` pairs.
 *
 * @throws CurfewError `INVALID_PARAMS` for any other argument.
 */
export function parseTypedArguments(args: readonly string[]): TypedArguments {
  const pairs: Pair[] = []
  const documents: string[] = []
  for (const arg of args) {
    const [, name, separator, value] = /^([^\s={}[\]"':]+)(:?=)(.*)$/s.exec(arg) ?? []
    if (name === undefined) documents.push(arg)
    else pairs.push({ name, value: value!, isJson: separator === ':=' })
  }
  if (documents.length > 1) {
    throw invalid(
      `expected one JSON object and any number of NAME=VALUE pairs, got another argument: ${JSON.stringify(documents[1])}`,
    )
  }
  return { json: documents[0] === undefined ? undefined : parseDocument(documents[0]), pairs }
}

/**
 * The parameters of a call: the JSON object, overridden by each `NAME=VALUE`, converted to the type in the tool's schema.
 *
 * @throws CurfewError `INVALID_PARAMS` if a value does not have that type.
 */
export function fillTypedArguments({ json, pairs }: TypedArguments, schema: JsonSchema | undefined): unknown {
  if (pairs.length === 0) return json === undefined ? {} : json
  if (json !== undefined && (typeof json !== 'object' || json === null || Array.isArray(json)))
    throw invalid(`expected a JSON object together with NAME=VALUE, got ${JSON.stringify(json)}`)
  const strings = new Map<string, string[]>()
  const values = new Map<string, unknown>()
  for (const { name, value, isJson } of pairs) {
    if (values.has(name) || (isJson && strings.has(name))) throw repeated(name)
    if (isJson) values.set(name, parseValue(name, value))
    else strings.set(name, [...(strings.get(name) ?? []), value])
  }
  const converted = [...strings].map(([name, inputs]) => {
    const property = Object(Object(schema).properties)[name] as unknown
    const result = convertArgument(inputs, property, Object(schema))
    if ('value' in result) return [name, result.value] as const
    if (result.problem === 'repeated') throw repeated(name)
    throw invalid(
      `${name}: expected ${result.expected}, got ${JSON.stringify(result.got)}; to pass any JSON, write ${name}:=JSON`,
    )
  })
  return { ...json, ...Object.fromEntries([...converted, ...values]) }
}

function parseDocument(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw invalid(`expected JSON or NAME=VALUE, as in '{"seconds": 1}' or seconds=1: ${messageOf(error)}`)
  }
}

function parseValue(name: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw invalid(`${name}: expected JSON after :=, got ${JSON.stringify(text)}`)
  }
}

function repeated(name: string): CurfewError {
  return invalid(`${name}: expected one value, got several`)
}

function invalid(message: string): CurfewError {
  return new CurfewError('INVALID_PARAMS', message)
}
