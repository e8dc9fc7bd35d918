import type { ConfigProblem } from '@curfew/extensions'
import type { ToolFileFormat } from '@curfew/extensions/internal'
import type { Finding, ReviewedTool } from '@curfew/review'
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
