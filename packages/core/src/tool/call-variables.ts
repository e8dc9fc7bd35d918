import { traceVariables } from '../call/trace-context.ts'
import type { ToolContext } from './tool-context.ts'

/** They tell a `curfew` in a program about the call that it belongs to, so that a chain of both is bounded. */
export const callVariableNames = {
  depth: 'CURFEW_DEPTH',
  maxDepth: 'CURFEW_DEPTH_LIMIT',
  /** The milliseconds that the program has when it starts. */
  remainingMs: 'CURFEW_DEADLINE_MS',
  /** The same deadline by `machineTime`, for what the program starts later. */
  endsAt: 'CURFEW_DEADLINE_AT',
} as const

/** The environment variables of a program that a call runs. */
export function callVariables(
  { depth, maxDepth, deadline, traceContext }: ToolContext,
  remainingMs: number = deadline.remainingMs,
): Record<string, string> {
  const values = { depth: depth + 1, maxDepth, remainingMs, endsAt: machineTime() + remainingMs }
  const entries = Object.entries(callVariableNames) as [keyof typeof values, string][]
  const variables = entries.map(([key, name]) => [name, String(Math.floor(values[key]))])
  return { ...traceVariables(traceContext), ...Object.fromEntries(variables) }
}

/** In milliseconds, the same in all processes of this machine. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
