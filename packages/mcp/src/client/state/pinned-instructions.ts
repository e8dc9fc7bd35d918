import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'

/** Stands for a server's instructions among its pinned definitions; a tool with this name is left out. */
export const instructionsName = '(instructions)'

/** Longer instructions are cut: they are kept in memory and in a file, and a model would not read them. */
export const maxInstructionsLength = 16_384

/**
 * Instructions reach the model like a tool's description, so they are pinned and approved like one. A server without instructions is pinned,
 * too: otherwise it could add some later.
 */
export function instructionsToPin(instructions: string | null): ToolDefinition {
  return { name: instructionsName, description: instructions ?? '', inputSchema: { type: 'object' } }
}
