import { escapeInvisible } from '@curfew/core/internal'

/** What a person does not see, a model must not read unnoticed: control characters, direction marks and invisible characters are escaped. */
export function visibleText(text: string): string {
  const lines = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  // Except tabs, and what emoji consist of.
  const parts = lines.split(/(\t|\ufe0f|\u200d)/)
  return parts.map((part, index) => (index % 2 === 0 ? escapeInvisible(part) : part)).join('')
}
