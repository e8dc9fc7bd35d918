import type { ResultPart } from '@curfew/core'
import type { ContentBlock } from '@modelcontextprotocol/server'

/** Converts a part of a result to MCP. There is no block for a file, so it becomes a resource without an address. */
export function toContentBlock(part: ResultPart): ContentBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
    case 'audio':
      return { type: part.type, data: part.data, mimeType: part.mediaType }
    case 'file': {
      const { data, mediaType, name = 'file' } = part
      const uri = `attachment:${encodeURIComponent(name)}`
      return { type: 'resource', resource: { uri, mimeType: mediaType, blob: data } }
    }
    case 'resource': {
      const { uri, title, mediaType, text, data } = part
      const mimeType = mediaType !== undefined && { mimeType: mediaType }
      if (text !== undefined) return { type: 'resource', resource: { uri, ...mimeType, text } }
      if (data !== undefined) return { type: 'resource', resource: { uri, ...mimeType, blob: data } }
      return {
        type: 'resource_link',
        uri,
        name: title ?? uri,
        ...(title !== undefined && { title }),
        ...mimeType,
      }
    }
  }
}
