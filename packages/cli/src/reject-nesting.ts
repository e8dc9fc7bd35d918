import type { ConfigOptions } from '@curfew/extensions'
import { UsageError } from './command.ts'

/** The default of `limits.depth`. */
const defaultDepth = 8

/** A chain of agents that start each other must end. Throws if this process is nested too deeply in calls of others. */
export function rejectNesting(command: string, { outer, limits }: ConfigOptions): void {
  const depth = outer?.depth ?? 0
  const limit = limits?.depth ?? defaultDepth
  if (depth <= limit) return
  throw new UsageError(
    `curfew ${command}: it was started by an agent that an agent started, ${depth} levels deep (CURFEW_DEPTH); limits.depth allows ${limit}`,
  )
}
