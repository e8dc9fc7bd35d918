import { CurfewError, type JsonSchema, parseDuration } from '@curfew/core'

/** Fields that script and API files have in common. */
export const toolFileFields: Readonly<Record<string, JsonSchema>> = {
  $schema: { type: 'string' },
  name: {
    type: 'string',
    minLength: 1,
    description: 'The name without its prefix (script_, api_); by default the name of the folder or file.',
  },
  description: { type: 'string', minLength: 1, description: 'One sentence that starts with a verb.' },
  usage: {
    type: 'string',
    minLength: 1,
    description: 'When to use the tool and when not; shown only in the full view.',
  },
  always_allow: {
    type: 'boolean',
    default: false,
    description: 'Run without approval, although the tool is not read-only.',
  },
  concurrent: {
    type: 'boolean',
    default: false,
    description: 'The tool has no side effects and may run at the same time as other calls.',
  },
  // Not validated here: `curfew review` reports mistakes in it, and the tool still loads.
  review: {
    description: 'For curfew review: { "ignore": [{ "rule": "...", "reason": "..." }] }.',
  },
}

/** Converts seconds, or a string with a unit, to milliseconds. */
export function parseTimeout(timeout: number | string, field: string): number {
  try {
    const ms = parseDuration(typeof timeout === 'number' ? timeout * 1_000 : timeout, field)
    if (ms >= 1) return ms
  } catch {
    // The message of parseDuration is about milliseconds.
  }
  throw new CurfewError(
    'INVALID_DURATION',
    `${field}: expected seconds (at most 2147483) or a string with a unit such as "90s", got ${JSON.stringify(timeout)}`,
    { field },
  )
}
