import type { View } from '@curfew/core/internal'
import type { Upstream } from '../client/upstream.ts'

const maxLength = 2_000

/** The instructions for a client's model: how to find tools, and the instructions of trusted servers. */
export function instructionsFor(upstreams: readonly Upstream[], view: View): string | null {
  const parts = upstreams
    .filter(({ config, listing }) => config.trust && listing?.instructions)
    .map(({ name, listing }) => `${name}: ${listing!.instructions!.slice(0, maxLength)}`)
  if (view === 'stub')
    parts.unshift('Tools are listed by name only; search_tools returns their descriptions and parameters.')
  return parts.length === 0 ? null : parts.join('\n\n')
}
