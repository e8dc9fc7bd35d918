import { escapeKey } from '@curfew/extensions/internal'
import type { ReviewedTool } from '@curfew/review'

const minLength = 3
const maxLength = 1_000
const maxValues = 20_000

/** The pointer to the first string of a definition that contains a quote; `null` if none does. Names of parameters count, too. */
export function findQuote(
  { name, title, description, usage, inputSchema }: ReviewedTool,
  quote: string,
): string | null {
  if (quote.length > maxLength || (quote.trim().length < minLength && quote !== name)) return null
  let visited = 0
  const search = (value: unknown, pointer: string): string | null => {
    if (++visited > maxValues) return null
    if (typeof value === 'string') return value.includes(quote) ? pointer : null
    if (typeof value !== 'object' || value === null) return null
    for (const [key, child] of Object.entries(value)) {
      const at = `${pointer}/${escapeKey(key)}`
      const isParameter = pointer.endsWith('/properties') && key.includes(quote)
      const found = isParameter ? at : search(child, at)
      if (found !== null) return found
    }
    return null
  }
  return search({ name, title, description, usage, inputSchema }, '')
}
