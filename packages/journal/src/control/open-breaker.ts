import type { RuntimeSnapshot } from '@curfew/core'
import { isJsonObject } from '@curfew/core/internal'
import type { Fields } from './control-messages.ts'

/** A breaker that rejects calls, because earlier ones have failed. */
export interface OpenBreaker {
  /** The name of a tool, or `server:<name>` for all tools of an MCP server. */
  readonly name: string
  /** The number of failures without a success in between. */
  readonly failures: number
  /** Milliseconds since 1970. The first call after this is let through, to see whether the tool works again. */
  readonly retryAt: number
}

const maxBreakers = 1_000
const maxName = 256

export function openBreakersIn({ breakers }: RuntimeSnapshot): OpenBreaker[] {
  return Object.entries(breakers.failures)
    .flatMap(([name, state]) =>
      state.state === 'closed'
        ? []
        : [{ name, failures: state.failures, retryAt: Math.round(state.retryAt) }],
    )
    .slice(0, maxBreakers)
}

/** Checks the result of `breakers` from another process; `null` if it is not one. */
export function readBreakersResult(
  value: unknown,
): { readonly run: string; readonly breakers: OpenBreaker[] } | null {
  if (!isJsonObject(value) || !Array.isArray(value.breakers)) return null
  const breakers = value.breakers.slice(0, maxBreakers).flatMap((one) => (isBreaker(one) ? [one] : []))
  return { run: String(value.run), breakers }
}

function isBreaker(value: unknown): value is OpenBreaker & Fields {
  if (!isJsonObject(value)) return false
  const { name, failures, retryAt } = value
  return (
    typeof name === 'string' &&
    name.length <= maxName &&
    Number.isSafeInteger(failures) &&
    Number.isFinite(retryAt)
  )
}
