import type { Tool } from '@curfew/core'
import { defineSearchTool } from '@curfew/core/internal'
import { type CatalogEntry, definitionOf } from './catalog.ts'

/** Finds the served tools by the names that clients see. */
export function searchTool(entries: () => Iterable<CatalogEntry>): Tool {
  return defineSearchTool(() =>
    Array.from(entries(), (entry) => ({
      name: entry.name,
      description: entry.tool.description,
      parameterNames: entry.tool.parameterNames,
      definition: () => definitionOf(entry, 'brief'),
    })),
  )
}
