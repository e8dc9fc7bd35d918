import type { ToolContext } from '@curfew/core'
import type { AgentDeadline } from '../loop/time-limit.ts'

/** A deadline at most `limitMs` from now, and not after that of the call. Like the call's, it waits while a person is asked. */
export function childDeadline(
  { deadline }: Pick<ToolContext, 'deadline'>,
  limitMs: number = Number.POSITIVE_INFINITY,
): AgentDeadline {
  const atStart = deadline.remainingMs
  return {
    get remainingMs() {
      const remainingMs = deadline.remainingMs
      return Math.max(0, Math.min(remainingMs, limitMs - (atStart - remainingMs)))
    },
  }
}
