import { didYouMean, type View } from '@curfew/core/internal'
import type { Upstream } from '../client/upstream.ts'
import { isNameOf } from '../names/tool-names.ts'

/** Explains why a tool is unknown, and suggests similar names. */
export function explainUnknownTool(
  tool: string,
  {
    names,
    missing,
    missingTools,
    view,
  }: {
    readonly names: readonly string[]
    /** Servers whose tools are unknown. */
    readonly missing: readonly Upstream[]
    /** Tools of the gateway itself that could not be loaded, with the reason. */
    readonly missingTools: ReadonlyMap<string, string>
    readonly view: View
  },
): string {
  const reason = missingTools.get(tool)
  if (reason !== undefined) return `it could not be loaded: ${reason}`
  const owner = ownerOf(tool, missing)
  if (owner !== undefined) return owner.problem?.message ?? `the MCP server ${owner.name} is still starting`
  const hint = didYouMean(tool, [...names, ...missingTools.keys()])
  if (hint !== '') return hint
  const where = view === 'stub' ? 'search for tools with search_tools' : 'see tools/list'
  if (missing.length === 0) return where
  return `${where}; the tools of these MCP servers are not known yet: ${missing.map(({ name }) => name).join(', ')}`
}

/** The server that a tool with this name would belong to. */
export function ownerOf(tool: string, upstreams: readonly Upstream[]): Upstream | undefined {
  return upstreams.find(({ name }) => isNameOf(name, tool))
}
