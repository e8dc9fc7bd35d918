import type { Tool } from '@curfew/core'
import { defineSearchTool } from '@curfew/core/internal'
import { withoutClientPrefix } from './call-tool.ts'
import type { CatalogEntry } from './catalog.ts'
import { callDefinition } from './listed-definition.ts'

/**
 * Finds the served tools by the names that clients see, and returns what the view leaves out. `entries` returns the tools that the client
 * of a call can use.
 */
export function searchTool(entries: (uid: number) => Iterable<CatalogEntry>, description?: string): Tool {
  return defineSearchTool(
    ({ uid }) =>
      Array.from(entries(uid), (entry) => ({
        name: entry.name,
        description: entry.tool.description,
        parameterNames: entry.tool.parameterNames,
        definition: () => callDefinition(entry),
      })),
    description,
    withoutClientPrefix,
  )
}
