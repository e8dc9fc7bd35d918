import type { ConfiguredValue } from './config-layer.ts'
import { splitEntryKey } from './config-settings.ts'

/** Entries of `externalAgents`, by name. */
export type ExternalAgentEntries = Readonly<
  Record<string, { readonly command: readonly string[]; readonly format?: string }>
>

/** Entries without a command are left out, because they have no effect. */
export function toExternalAgents(values: ReadonlyMap<string, ConfiguredValue>): ExternalAgentEntries {
  const entries = new Map<string, Record<string, unknown>>()
  for (const [key, { value }] of values) {
    const { group, entry = '', name = '' } = splitEntryKey(key) ?? {}
    if (group === 'externalAgents') entries.set(entry, { ...entries.get(entry), [name]: value })
  }
  return Object.fromEntries(
    [...entries].filter(([, { command }]) => command !== undefined),
  ) as unknown as ExternalAgentEntries
}

/** Not options of the runtime. */
export function isAboutExternalAgents(key: string): boolean {
  return key.startsWith('externalAgents.')
}
