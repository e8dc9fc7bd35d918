import type { Tool } from './tool.ts'

/** MCP's hints about a tool. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** Derived from the flags that the runtime acts on, so they cannot contradict them. */
export function toolAnnotations(
  tool: Pick<Tool, 'readOnly' | 'destructive' | 'idempotent' | 'openWorld'>,
): ToolAnnotations {
  return {
    readOnlyHint: tool.readOnly,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: tool.openWorld,
  }
}
