import type { ResultPart } from '@curfew/core'
import { nameOfPart } from '@curfew/core/internal'
import type { UserPart } from '../history/history-item.ts'

/** Parts of a result as parts of a message of the person. */
export function toUserParts(parts: readonly ResultPart[]): UserPart[] {
  return parts.flatMap((part): UserPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'resource' && part.text !== undefined)
      return [{ type: 'text', text: `${part.uri}:\n${part.text}` }]
    return fileParts([part]).length > 0 ? fileParts([part]) : [{ type: 'text', text: nameOfPart(part) }]
  })
}

/** Only the parts with data. */
export function fileParts(parts: readonly ResultPart[]): UserPart[] {
  return parts.flatMap((part): UserPart[] => {
    if (part.type === 'text' || part.data === undefined) return []
    const name = part.type === 'file' ? part.name : part.type === 'resource' ? part.uri : undefined
    const mediaType = part.mediaType ?? 'application/octet-stream'
    return [{ type: 'file', data: part.data, mediaType, ...(name !== undefined && { name }) }]
  })
}
