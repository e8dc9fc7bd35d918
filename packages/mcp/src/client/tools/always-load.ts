import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'

/** In the `_meta` of a tool that a client should always show its model in full. */
export const alwaysLoadKey = 'anthropic/alwaysLoad'

export function isAlwaysLoaded({ _meta }: ToolDefinition): boolean {
  return _meta?.[alwaysLoadKey] === true
}
