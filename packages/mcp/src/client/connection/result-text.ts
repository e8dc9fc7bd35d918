import type { ResultPart } from '@curfew/core'
import { checkParts, nameOfPart } from '@curfew/core/internal'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

const maxTitleLength = 255

/** Converts a result to text, for a model that reads only text. */
export function textOfResult(result: CallToolResult): string {
  const blocks = blocksOf(result)
    .map(textOfBlock)
    .filter((text) => text !== '')
  if (blocks.length > 0 || result.structuredContent === undefined) return blocks.join('\n')
  return JSON.stringify(result.structuredContent)
}

/** Everything of a result that a model can see: two results with the same text may differ in an image or in structured content. */
export function outcomeOfResult({ content, structuredContent }: CallToolResult): string {
  return JSON.stringify([content, structuredContent])
}

/** Converts a result to parts; `undefined` if it contains only text. Blocks that are invalid or unknown are omitted. */
export function partsOfResult(result: CallToolResult): readonly ResultPart[] | undefined {
  const blocks = blocksOf(result)
  if (blocks.every(({ type }) => type === 'text')) return undefined
  return partsOfContent(blocks)
}

/** Converts one block or several, as in the messages of a prompt, to parts. What is invalid or unknown is omitted. */
export function partsOfContent(content: unknown): readonly ResultPart[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  return blocks.flatMap((block) => {
    try {
      const part = partOfBlock(block as ContentBlock)
      return part === null ? [] : checkParts([part])
    } catch {
      return []
    }
  })
}

function blocksOf({ content }: CallToolResult): readonly ContentBlock[] {
  return Array.isArray(content) ? content : []
}

function textOfBlock(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link')
    return `[resource ${block.uri}${block.description === undefined ? '' : `: ${block.description}`}]`
  if (block.type === 'resource' && 'text' in block.resource) return String(block.resource.text)
  const part = partOfBlock(block)
  return part === null || part.type === 'text' ? '' : nameOfPart(part)
}

/** Not validated. */
function partOfBlock(block: ContentBlock): ResultPart | null {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio': {
      const { type, data, mimeType: mediaType } = block
      return mediaType.startsWith(`${type}/`) ? { type, data, mediaType } : { type: 'file', data, mediaType }
    }
    case 'resource': {
      const { uri, mimeType: mediaType } = block.resource
      const content = 'text' in block.resource ? { text: block.resource.text } : { data: block.resource.blob }
      return { type: 'resource', uri, mediaType, ...content }
    }
    case 'resource_link': {
      const { uri, mimeType: mediaType, title, name } = block
      return {
        type: 'resource',
        uri,
        mediaType,
        title: (title ?? name).slice(0, maxTitleLength) || undefined,
      }
    }
    default:
      return null
  }
}
