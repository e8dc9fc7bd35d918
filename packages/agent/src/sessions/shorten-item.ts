import { capText } from '@curfew/core/internal'

/** Far below the depth that the reader accepts. */
const maxDepth = 50
/**
 * Shortens the strings, arrays and objects of an item. Parts with data become text, because half an image is not an image; metadata is
 * removed, because providers reject a signature that was cut. Calls and results stay paired.
 */
export function shortenItem({ parts, results, ...rest }: Source, maxLength: number): unknown {
  return {
    ...rest,
    ...(Array.isArray(parts) ? { parts: parts.map((part) => shortenPart(part, maxLength)) } : {}),
    ...(Array.isArray(results) ? { results: results.map((result) => shortenResult(result, maxLength)) } : {}),
  }
}

type Source = Readonly<Record<string, unknown>>

function shortenPart({ metadata: _, ...part }: Source, maxLength: number): unknown {
  if (part.type === 'file') return { type: 'text', text: `[${part.name ?? 'file'}: too large, not saved]` }
  if (part.type !== 'call') return { ...part, text: cap(part.text, maxLength) }
  return { ...part, input: shortenValue(part.input, maxLength, 0) }
}

/** Its `content` describes its parts. */
function shortenResult({ parts: _, ...result }: Source, maxLength: number): unknown {
  return { ...result, content: cap(result.content, maxLength) }
}

function shortenValue(value: unknown, maxLength: number, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return cap(value, maxLength)
  if (depth > maxDepth) return '[nested deeper, not saved]'
  if (Array.isArray(value)) {
    const kept = value.slice(0, maxLength).map((entry) => shortenValue(entry, maxLength, depth + 1))
    return value.length > maxLength ? [...kept, `[${value.length - maxLength} more, not saved]`] : kept
  }
  const entries = Object.entries(value).slice(0, maxLength)
  return Object.fromEntries(
    entries.map(([key, entry]) => [String(cap(key, maxLength)), shortenValue(entry, maxLength, depth + 1)]),
  )
}

function cap(value: unknown, maxLength: number): unknown {
  return typeof value === 'string' ? capText(value, maxLength, ', not saved in the session') : value
}
