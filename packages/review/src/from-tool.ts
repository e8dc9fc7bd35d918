import type { Tool } from '@curfew/core'
import { toolAnnotations } from '@curfew/core/internal'
import type { ReviewedTool } from './review-types.ts'

/** A Curfew tool, with the hints that an agent would see. */
export function fromTool(
  tool: Tool,
  { location, suppressions = [] }: Partial<Pick<ReviewedTool, 'location' | 'suppressions'>> = {},
): ReviewedTool {
  const { adapter, readOnly, concurrent, idempotent, destructive, openWorld, declared, timeoutMs } = tool
  return {
    name: tool.name,
    title: undefined,
    description: tool.description,
    usage: tool.usage,
    inputSchema: tool.schema.jsonSchema,
    outputSchema: undefined,
    annotations: toolAnnotations(tool),
    curfew: { adapter, readOnly, concurrent, idempotent, destructive, openWorld, declared, timeoutMs },
    location,
    suppressions,
  }
}
