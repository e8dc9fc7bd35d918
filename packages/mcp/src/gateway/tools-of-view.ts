import type { Tool } from '@curfew/core'
import type { View } from '@curfew/core/internal'
import { createCallTool } from './call-tool.ts'
import type { CatalogEntry } from './catalog.ts'
import { searchTool } from './search-tools.ts'
import { moreMark } from './shorten-text.ts'

const briefDescription = `Show the full definitions of tools, found by words or by name; descriptions that end with ${moreMark} are shortened.`

/** The gateway's own tools for what a view leaves out. `entries` returns the tools that the client of a call can use. */
export function toolsOfView(view: View, entries: (uid: number) => Iterable<CatalogEntry>): Tool[] {
  switch (view) {
    case 'stub':
      return [searchTool(entries), createCallTool()]
    case 'brief':
      return [searchTool(entries, briefDescription)]
    case 'full':
      return []
  }
}
