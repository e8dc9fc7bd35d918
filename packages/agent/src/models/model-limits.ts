import { type Duration, parseDuration } from '@curfew/core'
import { invalidOption } from '@curfew/core/internal'

/** Limits of one model request. */
export interface ModelLimits {
  /** From each attempt to its first text, reasoning or call. @default '60s' */
  readonly firstToken?: Duration | undefined
  /** Between two parts of a response. @default '60s' */
  readonly idle?: Duration | undefined
  /** For the whole request, including retries. @default '10m' */
  readonly total?: Duration | undefined
  /** The maximum number of times that a request is sent. @default 5 */
  readonly maxAttempts?: number | undefined
  /** The maximum total time to wait between attempts. @default '2m' */
  readonly maxWait?: Duration | undefined
  /** Of a response: text, reasoning, calls and metadata. @default 4,000,000 */
  readonly maxCharacters?: number | undefined
  /** In one response. @default 1,000 */
  readonly maxCalls?: number | undefined
  /** Of one call. @default 1,000,000 */
  readonly maxInputCharacters?: number | undefined
}

export interface ResolvedModelLimits {
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
  readonly maxAttempts: number
  readonly maxWaitMs: number
  readonly maxCharacters: number
  readonly maxCalls: number
  readonly maxInputCharacters: number
}

/** Applies the defaults. Throws if a limit is invalid. */
export function resolveModelLimits(limits: ModelLimits = {}): ResolvedModelLimits {
  return {
    firstTokenMs: duration('firstToken', limits.firstToken, 60_000),
    idleMs: duration('idle', limits.idle, 60_000),
    totalMs: duration('total', limits.total, 600_000),
    maxAttempts: count('maxAttempts', limits.maxAttempts, 5),
    maxWaitMs: duration('maxWait', limits.maxWait, 120_000),
    maxCharacters: count('maxCharacters', limits.maxCharacters, 4_000_000),
    maxCalls: count('maxCalls', limits.maxCalls, 1_000),
    maxInputCharacters: count('maxInputCharacters', limits.maxInputCharacters, 1_000_000),
  }
}

function duration(name: keyof ModelLimits, value: Duration | undefined, defaultMs: number): number {
  return value === undefined ? defaultMs : parseDuration(value, `limits.${name}`)
}

function count(name: keyof ModelLimits, value: number | undefined, defaultCount: number): number {
  if (value === undefined) return defaultCount
  if (Number.isSafeInteger(value) && value > 0) return value
  const field = `limits.${name}`
  throw invalidOption(field, `expected a whole number from 1, got ${String(value)}`)
}
