import { fileURLToPath } from 'node:url'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { UserPart } from '@curfew/agent'

export interface PromptInput {
  /** What the person typed, with files as mentions. */
  readonly typed: string
  /** What was attached. */
  readonly attached: readonly UserPart[]
}

/** A prompt of an editor: text that a person typed, and what they attached. */
export function readPromptBlocks(blocks: readonly ContentBlock[]): PromptInput {
  let typed = ''
  const attached: UserPart[] = []
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        typed += block.text
        break
      case 'resource_link':
        typed += mentionOf(block.uri)
        break
      case 'resource':
        attached.push(...readResource(block.resource))
        break
      case 'image':
      case 'audio':
        attached.push({ type: 'file', data: block.data, mediaType: block.mimeType })
    }
  }
  return { typed, attached }
}

/** Read through the tools, within their bounds. */
function mentionOf(uri: string): string {
  const path = pathOf(uri)
  // What an editor attaches was not typed: it must be neither a command nor a mention.
  if (path === null) return `<${encodeURI(uri.toWellFormed())}>`
  return /\s/.test(path) ? `@"${path}"` : `@${path}`
}

function pathOf(uri: string): string | null {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : null
  } catch {
    return null
  }
}

function readResource(
  resource: Extract<ContentBlock, { type: 'resource' }>['resource'],
): readonly UserPart[] {
  const name = pathOf(resource.uri) ?? resource.uri
  if ('text' in resource) return [{ type: 'text', text: `Content of ${name}:\n${resource.text}` }]
  const mediaType = resource.mimeType ?? 'application/octet-stream'
  return [{ type: 'file', data: resource.blob, mediaType, name }]
}
