import type { JsonSchema } from '@curfew/core'
import type { Adapter, BehaviourFlag } from '@curfew/core/internal'

/** A tool as it is looked at, wherever it comes from. */
export interface ReviewedTool {
  readonly name: string
  readonly title: string | undefined
  /** What the model is shown in the brief view. */
  readonly description: string | undefined
  /** Only for our own tools: shown in the full view. */
  readonly usage: string | undefined
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | undefined
  readonly annotations: ReviewedAnnotations | undefined
  /** Only for our own tools. */
  readonly own: OwnTool | undefined
  readonly place: { readonly file: string; readonly line: number | undefined } | undefined
  /** From the source: rule ids with a reason, that are not reported for this tool. */
  readonly suppressions: readonly { readonly rule: string; readonly reason: string }[]
}

/** MCP's hints, as somebody wrote them: any of them may be missing, and any may lie. */
export interface ReviewedAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** What only our own definitions tell. */
export interface OwnTool {
  readonly adapter: Adapter
  readonly readOnly: boolean
  readonly concurrent: boolean
  readonly idempotent: boolean
  readonly destructive: boolean
  readonly openWorld: boolean
  readonly declared: ReadonlySet<BehaviourFlag>
  readonly timeoutMs: number | undefined
}

export type Severity = 'error' | 'warning' | 'note'

export interface Finding {
  readonly rule: string
  readonly severity: Severity
  /** What is wrong, in one sentence; names the parameter if it is about one. */
  readonly message: string
  /** A concrete rewrite: the better name, sentence, or schema fragment; never an instruction in general words. */
  readonly rewrite: string
  /** JSON pointer into the definition: `/description`, `/inputSchema/properties/city`. */
  readonly pointer: string
  /** Set where the rewrite can be applied without a second thought to our own JSON formats: the value that belongs at the pointer; nothing does if it is undefined. */
  readonly fix?: { readonly pointer: string; readonly value: unknown }
}

/** Must not throw, whatever the tool looks like. */
export interface Rule {
  readonly id: string
  readonly severity: Severity
  readonly summary: string
  /** `siblings`: all tools that are looked at together, with this one; the same array for each of them, so that it can be indexed once. */
  check(tool: ReviewedTool, siblings: readonly ReviewedTool[]): readonly Finding[]
}

export interface DimensionScore {
  /** From 1 to 5. */
  readonly score: number
  readonly evidence: readonly string[]
}

export type Dimension = 'purpose' | 'usage' | 'behaviour' | 'parameters' | 'conciseness' | 'completeness'

export interface ToolScore {
  readonly overall: number
  readonly dimensions: Readonly<Record<Dimension, DimensionScore>>
  /** Those under 3. */
  readonly smells: readonly Dimension[]
  /** The rule that holds the grade down, if one does. */
  readonly cappedBy: string | null
}

/** D is the lowest: there is no F. */
export type Grade = 'A' | 'B' | 'C' | 'D'

export interface ToolReview {
  readonly name: string
  readonly findings: readonly Finding[]
  readonly suppressed: readonly { readonly finding: Finding; readonly reason: string }[]
  readonly score: ToolScore
  readonly grade: Grade
  readonly place: ReviewedTool['place']
}

export interface ServerReview {
  readonly score: number
  readonly grade: Grade
  readonly definition: { readonly mean: number; readonly min: number; readonly score: number }
  readonly coherence: {
    readonly score: number
    readonly disambiguation: DimensionScore
    readonly naming: DimensionScore
    readonly toolCount: DimensionScore
    readonly completeness: DimensionScore
  }
}

export interface Review {
  readonly tools: readonly ToolReview[]
  readonly server: ServerReview | null
}
