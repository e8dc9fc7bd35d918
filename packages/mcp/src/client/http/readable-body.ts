import { safeCut, stripControlSequences, textOfHtml } from '@curfew/core/internal'

/** How much of an error's body is read. */
export const maxErrorBytes = 131_072
/** Well below what is read: a secret that was cut there could not be redacted. */
const maxRawLength = 65_536
const maxLength = 4_096

/** The body of an HTTP error for an error message: without markup and secrets, and of limited length. Empty if there is nothing to read. */
export function readableBody(body: string, redact: (text: string) => string): string {
  const raw = redact(stripControlSequences(body)).slice(0, maxRawLength)
  const text = (/^\s*</.test(raw) ? textOfHtml(raw) : raw).trim()
  return text.length <= maxLength ? text : `${text.slice(0, safeCut(text, maxLength - 3))}...`
}
