import { didYouMean, type View } from '@curfew/core/internal'
import type { Upstream } from '../client/upstream.ts'

/** What to tell somebody who calls a tool that there is not. */
export function explainUnknownTool(
  tool: string,
  {
    names,
    missing,
    missingTools,
    view,
  }: {
    readonly names: readonly string[]
    /** Servers whose tools nobody has seen. */
    readonly missing: readonly Upstream[]
    /** Tools of our own that could not be loaded, with the reason. */
    readonly missingTools: ReadonlyMap<string, string>
    readonly view: View
  },
): string {
  const why = missingTools.get(tool)
  if (why !== undefined) return `it could not be loaded: ${why}`
  const owner = ownerOf(tool, missing)
  if (owner !== undefined) return owner.problem?.message ?? `the MCP server ${owner.name} is still starting`
  const hint = didYouMean(tool, [...names, ...missingTools.keys()])
  if (hint !== '') return hint
  const where = view === 'stub' ? 'search_tools finds those that there are' : 'look at the list'
  if (missing.length === 0) return where
  return `${where}, in which these MCP servers are missing: ${missing.map(({ name }) => name).join(', ')}`
}

/** The server that a tool of this name would be of. */
export function ownerOf(tool: string, upstreams: readonly Upstream[]): Upstream | undefined {
  return upstreams.find(({ name }) => tool.startsWith(`mcp__${name}__`))
}
