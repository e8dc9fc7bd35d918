import type { ConfigProblem } from '@curfew/extensions'
import type { ToolFileFormat } from '@curfew/extensions/internal'
import type { Finding, ReviewedTool } from '@curfew/review'
import type { JsonDocument } from './read-json-document.ts'

/** What is to be reviewed, and what could not be had of it. */
export interface ToolSource {
  /** Each as a model would meet it: our own tools together, and every server for itself. */
  readonly sets: readonly ToolSet[]
  readonly problems: readonly ConfigProblem[]
  /** What the person should know about the source. */
  readonly remarks: readonly string[]
}

export interface ToolSet {
  readonly name: string
  readonly tools: readonly SourceTool[]
}

export interface SourceTool {
  /** As it is called where the person sees it, such as `mcp__git__status`. */
  readonly shownName: string
  readonly tool: ReviewedTool
  /** What was found while it was read. */
  readonly findings: readonly Finding[]
  readonly origin: Origin | null
}

/** Where a definition stands. */
export interface Origin {
  readonly document: JsonDocument
  /** `list`: a definition as it is; `server`: only the entry in `mcp.json` that led to it. */
  readonly format: ToolFileFormat | 'list' | 'server'
  /** The pointer of the definition in the document. */
  readonly base: string
}
