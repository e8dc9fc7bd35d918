import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider'
import type { ResultPart } from '@curfew/core'
import { modelText } from '@curfew/core/internal'
import type { UserPart } from '../history/history-item.ts'
import type { WireFormat } from './name-of-model.ts'

/** What each provider accepts from a person; text is sent as text. Anything else would fail the whole request. */
const userMediaTypes: Readonly<Record<WireFormat, RegExp>> = {
  anthropic: /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/,
  google: /^(image\/(png|jpeg|webp|heic|heif)|audio\/.+|video\/.+|application\/pdf)$/,
  openai: /^(image\/(png|jpeg|gif|webp)|audio\/(wav|mp3|mpeg)|application\/pdf)$/,
}

/** A part of a user message, or `null` if it is empty. */
export function toUserPart(
  part: UserPart,
  format: WireFormat,
): LanguageModelV4TextPart | LanguageModelV4FilePart | null {
  if (part.type === 'text') return textPart(part.text)
  const { data, name } = part
  const mediaType = baseType(part.mediaType)
  const label = name === undefined ? mediaType : `${name} (${mediaType})`
  if (!isBase64(data)) return textPart(`[file ${label}: its data is empty or damaged]`)
  if (isText(mediaType)) return textPart(`[file ${label}]\n${Buffer.from(data, 'base64').toString()}`)
  if (!userMediaTypes[format].test(mediaType))
    return textPart(`[file ${label}: the model does not accept this type of file]`)
  return {
    type: 'file',
    data: { type: 'data', data },
    mediaType,
    ...(name !== undefined && { filename: modelText(name) }),
  }
}

/** OpenAI-compatible endpoints accept only text in results; the text names the files. */
const resultMediaTypes: Readonly<Record<WireFormat, RegExp | null>> = {
  anthropic: /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/,
  google: /^(image\/(png|jpeg|webp)|application\/pdf)$/,
  openai: null,
}

type ResultFile = Pick<LanguageModelV4FilePart, 'type' | 'data' | 'mediaType'>

/** The files of a result. Its text is in the result's content. */
export function resultFiles(parts: readonly ResultPart[], format: WireFormat): ResultFile[] {
  const mediaTypes = resultMediaTypes[format]
  if (mediaTypes === null) return []
  return parts.flatMap((part): ResultFile[] => {
    if (part.type === 'text' || part.data === undefined || part.mediaType === undefined) return []
    const mediaType = baseType(part.mediaType)
    if (!mediaTypes.test(mediaType) || !isBase64(part.data)) return []
    return [{ type: 'file', data: { type: 'data', data: part.data }, mediaType }]
  })
}

function textPart(text: string): LanguageModelV4TextPart | null {
  return text.trim() === '' ? null : { type: 'text', text: modelText(text) }
}

/** `text/plain` of `text/plain; charset=utf-8`. */
function baseType(mediaType: string): string {
  return mediaType.split(';')[0]!.trim().toLowerCase()
}

function isText(mediaType: string): boolean {
  return /^(text\/.+|application\/(json|xml|javascript|typescript|yaml|toml|x-(sh|yaml|ndjson)|.+\+(json|xml)))$/.test(
    mediaType,
  )
}

function isBase64(data: string): boolean {
  return data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
}
