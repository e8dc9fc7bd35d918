import { copySlice } from '@curfew/core/internal'

/** Longer than any name that people choose. */
const maxNameLength = 256
/** Backends drop or cut longer attributes. */
const maxContentLength = 8_192

/** Names and ids that others choose. Redact before: half a secret would not be recognized. */
export function boundedName(text: string): string {
  return text.length > maxNameLength ? copySlice(text, 0, maxNameLength) : text
}

/** Arguments and results, as the text or as JSON. */
export function boundedContent(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  return text.length > maxContentLength ? copySlice(text, 0, maxContentLength) : text
}
