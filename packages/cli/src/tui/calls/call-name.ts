import type { CallRow } from '@curfew/core'
import { visibleName } from './printable-text.ts'

/** What a call is called in a row: as in rules and commands, but the server of an MCP tool comes after its own name. */
export function callName({ name, server }: Pick<CallRow, 'name' | 'server'>): string {
  const prefix = `mcp__${server}__`
  if (server === null || !name.startsWith(prefix)) return visibleName(name)
  return `${visibleName(name.slice(prefix.length))} (${visibleName(server)})`
}
