import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'

/** The fields that a model or a client acts on; the others may change. */
export function pinnedPart(definition: ToolDefinition): object {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition
  return { name, title, description, inputSchema, outputSchema, annotations }
}
