import { checkDefinition, fromDefinition } from '@curfew/review'
import type { JsonDocument } from './read-json-document.ts'
import type { SourceTool } from './tool-source.ts'

interface FoundList {
  readonly definitions: readonly unknown[]
  /** The pointer of the list, or of the one definition. */
  readonly base: string
  readonly single: boolean
  readonly hasMore: boolean
}

/** The definitions in what a server answers to `tools/list`, or `null`: the result, the whole response, or the list alone. */
export function findDefinitions(value: unknown): FoundList | null {
  if (Array.isArray(value)) return { definitions: value, base: '', single: false, hasMore: false }
  const { tools, result, inputSchema, nextCursor } = Object(value) as Record<string, unknown>
  if (Array.isArray(tools))
    return { definitions: tools, base: '/tools', single: false, hasMore: isText(nextCursor) }
  const inside = Object(result) as Record<string, unknown>
  if (Array.isArray(inside.tools)) {
    return {
      definitions: inside.tools,
      base: '/result/tools',
      single: false,
      hasMore: isText(inside.nextCursor),
    }
  }
  if (inputSchema !== undefined) return { definitions: [value], base: '', single: true, hasMore: false }
  return null
}

export function toolsOfList(document: JsonDocument, { definitions, base, single }: FoundList): SourceTool[] {
  return definitions.map((definition, index) => {
    const at = single ? base : `${base}/${index}`
    const found = toolOfDefinition(definition, `tool ${index + 1}`)
    return { ...found, origin: { document, format: 'list', base: at } }
  })
}

/** A definition that stands in no file. */
function toolOfDefinition(definition: unknown, fallbackName: string): SourceTool {
  const tool = fromDefinition(definition)
  const shownName = tool.name.trim() === '' ? fallbackName : tool.name
  return { shownName, tool, findings: checkDefinition(definition), origin: null }
}

/** Whoever uses a server decides what does not apply to it, not the server: there is the baseline. */
export function toolOfServer(definition: unknown, fallbackName: string): SourceTool {
  const found = toolOfDefinition(definition, fallbackName)
  return { ...found, tool: { ...found.tool, suppressions: [] } }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
