import { formatDuration, resolveTimeout, type Tool } from '@curfew/core'
import { describeSource, type ResolvedTimeout } from '@curfew/core/internal'
import type { ConfigOptions } from '@curfew/extensions'

/** The timeout of a tool's calls with these settings; `null` if it depends on the call. */
export function effectiveTimeout(tool: Tool, options: ConfigOptions): ResolvedTimeout | null {
  if (tool.timeoutFor !== undefined) return null
  const { toolCallTimeout, maxToolCallTimeout, timeouts } = options
  return resolveTimeout({
    adapter: tool.adapter,
    tool: tool.timeoutMs,
    toolCallTimeout,
    maxToolCallTimeout,
    timeouts,
  })
}

/** `1 min`, and where that is set. */
export function describeTimeout(tool: Tool, options: ConfigOptions): readonly [limit: string, setBy: string] {
  const resolved = effectiveTimeout(tool, options)
  if (resolved === null) return ['per call', 'its parameter "seconds"']
  return [formatDuration(resolved.timeoutMs), describeSource(resolved.source)]
}
