import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** Converts a result to text, for a model that reads only text. */
export function textOfResult(result: CallToolResult): string {
  const blocks = (Array.isArray(result.content) ? result.content : [])
    .map(textOfBlock)
    .filter((text) => text !== '')
  if (blocks.length > 0 || result.structuredContent === undefined) return blocks.join('\n')
  return JSON.stringify(result.structuredContent)
}

function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`
    case 'resource':
      return 'text' in block.resource ? String(block.resource.text) : `[resource ${block.resource.uri}]`
    case 'resource_link':
      return `[resource ${block.uri}${block.description === undefined ? '' : `: ${block.description}`}]`
    default:
      return ''
  }
}
