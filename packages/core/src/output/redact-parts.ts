import type { ResultPart } from '../call/result-part.ts'
import type { Redactor } from '../secrets/redactor.ts'

/** Redacts the strings of all parts, and what their data decodes to. Returns the same array if there is nothing to redact. */
export function redactParts(parts: readonly ResultPart[], redactor: Redactor): readonly ResultPart[] {
  if (!redactor.active) return parts
  const redacted = parts.map((part) => redactPart(part, redactor))
  return redacted.every((part, index) => part === parts[index]) ? parts : redacted
}

function redactPart(part: ResultPart, redactor: Redactor): ResultPart {
  let copy: Record<string, string> | null = null
  for (const [field, value] of Object.entries(part) as [string, string][]) {
    const redacted = field === 'data' ? redactData(value, redactor) : redactor.text(value)
    if (redacted === value) continue
    copy ??= { ...part } as Record<string, string>
    copy[field] = redacted
  }
  return (copy as unknown as ResultPart | null) ?? part
}

/** Stays base64, but may no longer be a valid image. */
function redactData(data: string, redactor: Redactor): string {
  const asText = redactor.text(data)
  const bytes = Buffer.from(asText === data ? data : asText, asText === data ? 'base64' : 'utf8')
  const redacted = redactor.bytes(bytes)
  return asText === data && redacted === bytes ? data : Buffer.from(redacted).toString('base64')
}
