import { formatDuration, resolveTimeout, type Tool } from '@curfew/core'
import { describeSource, type ResolvedTimeout } from '@curfew/core/internal'
import type { ConfigOptions } from '@curfew/extensions'

/** How long a call of a tool may take with these settings; `null` where it depends on the call. */
export function effectiveTimeout(tool: Tool, options: ConfigOptions): ResolvedTimeout | null {
  if (tool.timeoutFor !== undefined) return null
  const { toolCallTimeout, maxToolCallTimeout, timeouts } = options
  const written = { toolCallTimeout, maxToolCallTimeout, timeouts }
  return resolveTimeout({ adapter: tool.adapter, tool: tool.timeoutMs, ...written })
}

/** `1 min`, and who says so. */
export function describeTimeout(tool: Tool, options: ConfigOptions): readonly [limit: string, setBy: string] {
  const resolved = effectiveTimeout(tool, options)
  if (resolved === null) return ['by call', 'its parameter "seconds"']
  return [formatDuration(resolved.timeoutMs), describeSource(resolved.source)]
}
