import { readFileSync } from 'node:fs'
import { CurfewError } from '@curfew/core'
import { fillTypedArguments, parseTypedArguments, type TypedArguments } from '@curfew/core/internal'
import { UsageError } from '../command.ts'

/** Parses JSON and `NAME=VALUE` pairs; `-` reads the JSON from standard input. Throws `UsageError` for any other argument. */
export function parseArguments(args: readonly string[]): TypedArguments {
  return asUsage(() => parseTypedArguments(args.map((arg) => (arg === '-' ? readFileSync(0, 'utf8') : arg))))
}

/** The parameters of a call. Throws `UsageError` if a value does not have the type in the tool's schema. */
export function fillArguments(
  args: TypedArguments,
  schema: Readonly<Record<string, unknown>> | undefined,
): unknown {
  return asUsage(() => fillTypedArguments(args, schema))
}

function asUsage<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof CurfewError) throw new UsageError(`curfew call: ${error.message}`)
    throw error
  }
}
