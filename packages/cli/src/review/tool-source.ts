import type { ConfigProblem } from '@curfew/extensions'
import type { ToolFileFormat } from '@curfew/extensions/internal'
import { type Finding, type ReviewedTool, readDefinition } from '@curfew/review'
import type { JsonDocument } from './read-json-document.ts'

/** The tools to review, and the problems with reading them. */
export interface ToolSource {
  /** Tools that a model sees together: Curfew tools in one set, each server in its own. */
  readonly sets: readonly ToolSet[]
  readonly problems: readonly ConfigProblem[]
  /** Messages about the source that do not affect the result. */
  readonly notices: readonly string[]
}

export interface ToolSet {
  /** The heading in reports. */
  readonly name: string
  /** What stands for all of its tools in a baseline: `*`, or `mcp__git__*`. */
  readonly pattern: string
  readonly tools: readonly SourceTool[]
}

export interface SourceTool {
  /** The name in reports, such as `mcp__git__status`. */
  readonly shownName: string
  readonly tool: ReviewedTool
  /** Findings from reading the definition. */
  readonly findings: readonly Finding[]
  readonly origin: Origin | null
}

/** Where a definition comes from. */
export interface Origin {
  readonly document: JsonDocument
  /** `list`: an MCP definition; `server`: the server's entry in `mcp.json`. */
  readonly format: ToolFileFormat | 'list' | 'server'
  /** The pointer to the definition in the document. */
  readonly base: string
}

interface DefinitionList {
  readonly definitions: readonly unknown[]
  /** The pointer to the list, or to the single definition. */
  readonly base: string
  readonly isSingle: boolean
  /** Whether the list is one page of several. */
  readonly hasMore: boolean
}

/** Finds the definitions in a response to `tools/list`: in the result, the whole JSON-RPC response, or a bare array. */
export function findDefinitions(value: unknown): DefinitionList | null {
  if (Array.isArray(value)) return { definitions: value, base: '', isSingle: false, hasMore: false }
  const { tools, result, inputSchema, nextCursor } = Object(value) as Record<string, unknown>
  if (Array.isArray(tools))
    return { definitions: tools, base: '/tools', isSingle: false, hasMore: isNonEmptyString(nextCursor) }
  const inside = Object(result) as Record<string, unknown>
  if (Array.isArray(inside.tools)) {
    return {
      definitions: inside.tools,
      base: '/result/tools',
      isSingle: false,
      hasMore: isNonEmptyString(inside.nextCursor),
    }
  }
  if (inputSchema !== undefined) return { definitions: [value], base: '', isSingle: true, hasMore: false }
  return null
}

export function fromDefinitionList(
  document: JsonDocument,
  { definitions, base, isSingle }: DefinitionList,
): SourceTool[] {
  return definitions.map((definition, index) => {
    const at = isSingle ? base : `${base}/${index}`
    const tool = fromDefinition(definition, `tool ${index + 1}`)
    return { ...tool, origin: { document, format: 'list', base: at } }
  })
}

/** A definition without a file. */
function fromDefinition(definition: unknown, fallbackName: string): SourceTool {
  const { tool, findings } = readDefinition(definition)
  const shownName = tool.name.trim() === '' ? fallbackName : tool.name
  return { shownName, tool, findings, origin: null }
}

/** A definition from a live server. Its suppressions are ignored: the user decides, with a baseline. */
export function fromServerDefinition(definition: unknown, fallbackName: string): SourceTool {
  const found = fromDefinition(definition, fallbackName)
  return { ...found, tool: { ...found.tool, suppressions: [] } }
}

function isNonEmptyString(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
