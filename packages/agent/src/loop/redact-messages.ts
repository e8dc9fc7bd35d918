import type { Runtime } from '@curfew/core'
import type { AssistantPart, UserPart } from '../history/history-item.ts'

type Redactor = Pick<Runtime, 'redact' | 'redactStream'>

/** What a person wrote or attached, without secrets. */
export function redactUserParts(runtime: Redactor, parts: readonly UserPart[]): UserPart[] {
  return parts.map((part) => {
    const redacted = runtime.redact(part)
    // What is left of a file would not be a valid one, and models reject a request with one.
    if (part.type !== 'file' || redacted.type !== 'file' || redacted.data === part.data) return redacted
    return { type: 'text', text: `[${redacted.name ?? 'file'}: not sent, because it contains a secret]` }
  })
}

/** What a model wrote, without secrets: it is part of later requests. Returns the same parts if there are none. */
export function redactAssistantParts(
  runtime: Redactor,
  parts: readonly AssistantPart[],
): readonly AssistantPart[] {
  const redacted = redactTexts(runtime, redactTexts(runtime, parts, 'text'), 'reasoning')
  if (redacted === parts && runtime.redact(parts) === parts) return parts
  return parts.map((part, index) => withoutMetadata(part, runtime.redact(redacted[index]!)))
}

/** Some providers join the texts of a response, so a secret may continue from one to the next. */
function redactTexts(
  runtime: Redactor,
  parts: readonly AssistantPart[],
  type: 'text' | 'reasoning',
): readonly AssistantPart[] {
  const joined = parts.map((part) => (part.type === type ? part.text : '')).join('')
  if (runtime.redact(joined) === joined) return parts
  const texts = runtime.redactStream()
  const last = parts.findLastIndex((part) => part.type === type)
  return parts.map((part, index) =>
    part.type === type
      ? { ...part, text: texts.push(part.text) + (index === last ? texts.end() : '') }
      : part,
  )
}

/** A signature is not valid for a changed part. */
function withoutMetadata(part: AssistantPart, redacted: AssistantPart): AssistantPart {
  if (redacted === part) return part
  const { metadata: _, ...rest } = redacted
  return rest
}
