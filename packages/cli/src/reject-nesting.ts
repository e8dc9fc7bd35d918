import type { ConfigOptions } from '@curfew/extensions'
import { UsageError } from './command.ts'

/** The default of `limits.depth`. */
const defaultDepth = 8

/** A chain of programs that start each other must end. Throws if this process is nested too deeply in calls of others. */
export function rejectNesting(command: string, { outer, limits }: ConfigOptions): void {
  const depth = outer?.depth ?? 0
  const limit = Math.min(limits?.depth ?? defaultDepth, outer?.maxDepth ?? Number.POSITIVE_INFINITY)
  if (depth <= limit) return
  throw new UsageError(
    `curfew ${command}: LIMIT_EXCEEDED: it was started by a call that is nested ${depth} levels deep (CURFEW_DEPTH); limits.depth allows ${limit}`,
  )
}
