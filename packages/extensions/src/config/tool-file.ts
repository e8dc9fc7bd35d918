import { CurfewError, type JsonSchema, parseDuration } from '@curfew/core'

/** What every file that describes a tool may say. */
export const toolFileFields: Readonly<Record<string, JsonSchema>> = {
  $schema: { type: 'string' },
  name: {
    type: 'string',
    minLength: 1,
    description: 'Without the prefix (script_, api_); by default the name of the folder or file.',
  },
  description: { type: 'string', minLength: 1, description: 'One sentence that begins with a verb.' },
  usage: {
    type: 'string',
    minLength: 1,
    description: 'When to use it and when not; shown only in the full view.',
  },
  always_allow: {
    type: 'boolean',
    default: false,
    description: 'Runs without being asked for, though it may change things.',
  },
  concurrent: {
    type: 'boolean',
    default: false,
    description: 'Has no side effects, and may run beside other calls.',
  },
  // Anything goes: what is wrong in it is for `curfew review` to find, and no reason not to have the tool.
  review: {
    description: 'For curfew review: { "ignore": [{ "rule": "...", "reason": "..." }] }.',
  },
}

/** Seconds, or a text with a unit; in milliseconds. */
export function readTimeout(timeout: number | string, field: string): number {
  try {
    const ms = parseDuration(typeof timeout === 'number' ? timeout * 1_000 : timeout, field)
    if (ms >= 1) return ms
  } catch {
    // Said below, in the units of the file.
  }
  throw new CurfewError(
    'INVALID_DURATION',
    `${field} ${JSON.stringify(timeout)} is not usable; write seconds as a number (at most 2147483), or a text with a unit such as "90s"`,
    { field },
  )
}
