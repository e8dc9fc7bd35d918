import type { TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { Tool } from './tool.ts'

/** The exact setting that a limit comes from, such as `tools.mcp__github__*.timeout` or `timeouts.script`; `undefined` for other sources. */
export function limitSetting(
  { adapter, overrides }: Pick<Tool, 'adapter' | 'overrides'>,
  source: TimeoutSource,
  limit: 'timeout' | 'idleTimeout' = 'timeout',
): string | undefined {
  if (source === 'toolCallTimeout' || source === 'maxToolCallTimeout') return source
  if (source === 'timeouts') return `timeouts.${adapter}`
  return source === 'tools' ? `tools.${overrides?.[limit]}.${limit}` : undefined
}
