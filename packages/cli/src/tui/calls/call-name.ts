import type { CallRow } from '@curfew/core'
import { visibleMessage, visibleName } from './visible-text.ts'

/** What a call is called in a row: the tool's title, or else its name; with the server, which chose both. */
export function callName({ name, title, server }: Pick<CallRow, 'name' | 'title' | 'server'>): string {
  if (server === null) return title === null ? visibleName(name) : visibleMessage(title) || visibleName(name)
  const short = name.startsWith(`mcp__${server}__`) ? name.slice(`mcp__${server}__`.length) : name
  const shown = (title === null ? '' : visibleMessage(title)) || visibleName(short)
  return `${shown} (${visibleName(server)})`
}
