import { formatDuration, resolveTimeout, type Tool } from '@curfew/core'
import { describeSource, limitSetting, type ResolvedTimeout } from '@curfew/core/internal'
import type { ConfigOptions } from '@curfew/extensions'
import { showSource } from '../config/show-settings.ts'
import type { ConfiguredTools } from './load-tools.ts'

/** The timeout of a tool's calls with these settings; `null` if it depends on the call. */
export function effectiveTimeout(tool: Tool, options: ConfigOptions): ResolvedTimeout | null {
  if (tool.timeoutFor !== undefined) return null
  const { toolCallTimeout, maxToolCallTimeout, timeouts } = options
  return resolveTimeout({
    adapter: tool.adapter,
    tools: tool.overrides?.timeout === undefined ? undefined : tool.timeoutMs,
    tool: tool.timeoutMs,
    toolCallTimeout,
    maxToolCallTimeout,
    timeouts,
  })
}

/** `1 min`, and where that is set. */
export function describeTimeout(
  tool: Tool,
  configured: Pick<ConfiguredTools, 'options' | 'config'>,
): readonly [limit: string, setBy: string] {
  const resolved = effectiveTimeout(tool, configured.options)
  if (resolved === null) return ['per call', 'its parameter "seconds"']
  return [formatDuration(resolved.timeoutMs), describeOrigin(tool, resolved, configured)]
}

/** `tools.mcp__github__*.timeout in ~/.config/curfew/config.json`, or a description of another source. */
export function describeOrigin(
  tool: Tool,
  { source }: Pick<ResolvedTimeout, 'source'>,
  { config }: Pick<ConfiguredTools, 'config'>,
): string {
  const key = limitSetting(tool, source)
  const setting = config.settings.find((one) => one.key === key)
  return setting === undefined ? describeSource(source, key) : `${setting.key} in ${showSource(setting)}`
}
