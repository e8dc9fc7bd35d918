import { formatDuration } from '../duration/format-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { TimeoutSource } from './resolve-timeout.ts'
import { describeSource } from './resolve-timeout.ts'

export interface ToolTimeoutDetails {
  readonly toolName: string
  /** Which limit was exceeded: the total, or the time without output and progress. */
  readonly limit: 'total' | 'idle'
  readonly limitMs: number
  readonly elapsedMs: number
  /** Where the limit was set. */
  readonly source: TimeoutSource
  /** The exact setting, such as `tools.mcp__github__*.timeout`, where it is known. */
  readonly setting?: string | undefined
}

/** A call exceeded its deadline. Also the `reason` of the call's aborted signal. */
export class ToolTimeoutError extends CurfewError {
  override readonly name = 'ToolTimeoutError'
  readonly toolName: string
  readonly limit: 'total' | 'idle'
  readonly limitMs: number
  readonly elapsedMs: number
  readonly source: TimeoutSource

  constructor(details: ToolTimeoutDetails) {
    super(details.limit === 'idle' ? 'TOOL_IDLE_TIMEOUT' : 'TOOL_TIMEOUT', describe(details))
    this.toolName = details.toolName
    this.limit = details.limit
    this.limitMs = details.limitMs
    this.elapsedMs = details.elapsedMs
    this.source = details.source
  }
}

function describe(details: ToolTimeoutDetails): string {
  const { toolName, limit, limitMs, elapsedMs } = details
  const source = describeSource(details.source, details.setting)
  const ran = formatDuration(elapsedMs)
  const allowed = formatDuration(limitMs)
  return limit === 'idle'
    ? `${toolName} was stopped after ${ran}: no output and no progress for ${allowed} (idleTimeout, ${source})`
    : `${toolName} was stopped after ${ran}: its limit is ${allowed} (${source})`
}
