import { escapeInvisible } from '@curfew/core/internal'

const maxLength = 200

/** A description from a tool or a server as one short line that shows everything it contains. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return escapeInvisible(line.length > maxLength ? `${line.slice(0, maxLength)}...` : line)
}
