import { readFileSync } from 'node:fs'
import { messageOf, parseJson } from '@curfew/core/internal'
import { UsageError } from '../command.ts'
import { convertArgument } from './convert-argument.ts'

/** What was written on the command line; what it means depends on the tool. */
export interface CallArguments {
  /** A JSON object, or what somebody took for one; `undefined` if there is none. */
  readonly json: unknown
  /** `NAME=VALUE` and `NAME:=JSON`, in their order. */
  readonly pairs: readonly Pair[]
}

interface Pair {
  readonly name: string
  readonly value: string
  readonly isJson: boolean
}

type JsonSchema = Readonly<Record<string, unknown>>

/** Throws `UsageError` for what is neither JSON nor `NAME=VALUE`. */
export function parseArguments(texts: readonly string[]): CallArguments {
  const pairs: Pair[] = []
  const documents: string[] = []
  for (const text of texts) {
    const [, name, separator, value] = /^([^\s={}[\]"':]+)(:?=)(.*)$/s.exec(text) ?? []
    if (name === undefined) documents.push(text)
    else pairs.push({ name, value: value!, isJson: separator === ':=' })
  }
  if (documents.length > 1) {
    throw new UsageError(
      `curfew call: expected one JSON object and any number of NAME=VALUE, got also ${JSON.stringify(documents[1])}`,
    )
  }
  return { json: documents[0] === undefined ? undefined : parseDocument(documents[0]), pairs }
}

/** The parameters of a call: the JSON object, and over it each `NAME=VALUE` as the type that the tool's schema gives it. */
export function fillArguments({ json, pairs }: CallArguments, schema: JsonSchema | undefined): unknown {
  if (pairs.length === 0) return json === undefined ? {} : json
  if (json !== undefined && (typeof json !== 'object' || json === null || Array.isArray(json))) {
    throw new UsageError('curfew call: expected a JSON object beside NAME=VALUE')
  }
  const texts = new Map<string, string[]>()
  const values = new Map<string, unknown>()
  for (const { name, value, isJson } of pairs) {
    if (values.has(name) || (isJson && texts.has(name))) throw givenTwice(name)
    if (isJson) values.set(name, parseValue(name, value))
    else texts.set(name, [...(texts.get(name) ?? []), value])
  }
  const converted = [...texts].map(([name, given]) => {
    const property = Object(Object(schema).properties)[name] as unknown
    const result = convertArgument(given, property, Object(schema))
    if ('value' in result) return [name, result.value] as const
    if (result.problem === 'twice') throw givenTwice(name)
    throw new UsageError(
      `curfew call: ${name}: expected ${result.expected}, got ${JSON.stringify(result.got)}; NAME:=JSON passes any JSON`,
    )
  })
  return { ...json, ...Object.fromEntries([...converted, ...values]) }
}

/** `-` reads it from standard input. */
function parseDocument(text: string): unknown {
  try {
    return parseJson(text === '-' ? readFileSync(0, 'utf8') : text)
  } catch (error) {
    throw new UsageError(
      `curfew call: the arguments are neither JSON nor NAME=VALUE: ${messageOf(error)}; write '{"seconds": 1}' or seconds=1`,
    )
  }
}

function parseValue(name: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw new UsageError(`curfew call: ${name}: expected JSON after :=, got ${JSON.stringify(text)}`)
  }
}

function givenTwice(name: string): UsageError {
  return new UsageError(`curfew call: ${name} is given twice, and takes one value`)
}
