import { type JsonSchema, parseDuration } from '@curfew/core'
import { described, fieldError, resourceTemplates, templateParameters } from '@curfew/core/internal'

/** Fields that script and API files have in common. */
export const toolFileFields: Readonly<Record<string, JsonSchema>> = {
  $schema: { type: 'string' },
  name: described(
    { type: 'string', minLength: 1 },
    'The name without its prefix (script_, api_); by default the name of the folder or file.',
  ),
  description: { type: 'string', minLength: 1, description: 'One sentence that starts with a verb.' },
  usage: described(
    { type: 'string', minLength: 1 },
    'When to use the tool and when not; shown only in the full view.',
  ),
  always_allow: described(
    { type: 'boolean', default: false },
    'Run without approval, although the tool is not read-only.',
  ),
  concurrent: described(
    { type: 'boolean', default: false },
    'The tool has no side effects and may run at the same time as other calls.',
  ),
  // The flags have no defaults, because the full view shows only what was declared.
  readOnly: described(
    { type: 'boolean' },
    'The tool changes nothing, so it needs no approval; by default false, for GET and HEAD true.',
  ),
  idempotent: described(
    { type: 'boolean' },
    'Running it twice has the same effect as running it once; by default false, for GET, HEAD, PUT and DELETE true. Such a tool is retried after a rejected secret was replaced.',
  ),
  resources: described(
    { type: 'array', items: { type: 'string', minLength: 1 } },
    'Keys for what a call uses; only calls that share a key wait for each other. {x} is replaced by the parameter x. []: it uses nothing shared. By default, a call waits for all earlier ones that could conflict with it.',
  ),
  // Not validated here: `curfew review` reports mistakes in it, and the tool still loads.
  review: {
    description: 'For curfew review: { "ignore": [{ "rule": "...", "reason": "..." }] }.',
  },
}

/** Fields of both formats that describe what a call does. */
export interface ToolFileBehaviour {
  readonly concurrent: boolean
  readonly readOnly?: boolean
  readonly idempotent?: boolean
  readonly resources?: readonly string[]
}

/** The `resources` of a tool's definition. Throws if a placeholder is not one of the parameters. */
export function parseResources(
  { resources }: ToolFileBehaviour,
  parameterNames: readonly string[],
): ((params: unknown) => readonly string[] | undefined) | undefined {
  if (resources === undefined) return undefined
  for (const [index, template] of resources.entries()) {
    const unknown = templateParameters([template]).find((name) => !parameterNames.includes(name))
    if (unknown === undefined) continue
    const field = `resources[${index}]`
    throw fieldError('INVALID_TOOL', field, `{${unknown}} is not a parameter; declare it in "parameters"`)
  }
  return resourceTemplates(resources)
}

/** Converts seconds, or a string with a unit, to milliseconds. */
export function parseTimeout(timeout: number | string, field: string): number {
  try {
    const ms = parseDuration(typeof timeout === 'number' ? timeout * 1_000 : timeout, field)
    if (ms >= 1) return ms
  } catch {
    // The message of parseDuration is about milliseconds.
  }
  throw fieldError(
    'INVALID_DURATION',
    field,
    `expected seconds (at most 2147483) or a string with a unit such as "90s", got ${JSON.stringify(timeout)}`,
  )
}
