import { CurfewError, defineTool, type Tool } from '@curfew/core'
import { described, objectSchema, parseJson } from '@curfew/core/internal'
import type { JsonObject } from './json-object.ts'

export const callToolName = 'call_tool'

/**
 * Calls a stub by its name, for clients that read a stub as a tool without parameters. The gateway runs the named tool instead of this one,
 * which runs only to explain what is wrong.
 */
export function createCallTool(): Tool {
  return defineTool({
    name: callToolName,
    description: 'Call a listed tool by its name with arguments that its own listing does not show.',
    usage: 'Use it if a tool can only be called without arguments. search_tools returns its parameters.',
    parameters: objectSchema(['name'], {
      name: { type: 'string', minLength: 1, description: 'The name of the tool, as it is listed.' },
      arguments: described(
        { type: 'object', additionalProperties: true, default: {} },
        'The arguments for the tool, as an object or as JSON.',
      ),
    }),
    alwaysLoad: true,
    execute({ name }) {
      throw new CurfewError('INVALID_PARAMS', `name: expected a tool other than ${name}`)
    },
  }) as unknown as Tool
}

export interface NamedCall {
  readonly name: string
  readonly params: JsonObject
}

/** The call that the arguments of `call_tool` describe; `null` if they describe none. */
export function readNamedCall({ name, arguments: given = {}, ...others }: JsonObject): NamedCall | null {
  const params = readArguments(given)
  if (typeof name !== 'string' || name === '' || name === callToolName) return null
  return params === null || Object.keys(others).length > 0 ? null : { name, params }
}

/** Clients put a prefix before the listed names (`mcp__curfew__`, `curfew_`), and so do models that name a tool. */
export function withoutClientPrefix(name: string): string {
  return name.replace(/^(?:mcp[_-]{1,2})?curfew[_.-]{1,2}/, '')
}

/** Some clients send nested objects as JSON. */
function readArguments(given: unknown): JsonObject | null {
  let value = given
  try {
    if (typeof given === 'string') value = given.trim() === '' ? {} : parseJson(given)
  } catch {
    return null
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}
