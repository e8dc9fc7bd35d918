import type { JsonSchema, Tool } from '@curfew/core'

/** A tool definition to review, whatever its source. */
export interface ReviewedTool {
  readonly name: string
  readonly title: string | undefined
  /** Shown to the model in the brief view. */
  readonly description: string | undefined
  /** Only for Curfew tools: shown in the full view. */
  readonly usage: string | undefined
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | undefined
  readonly annotations: ReviewedAnnotations | undefined
  /** Set only for Curfew tools. */
  readonly curfew: CurfewFields | undefined
  readonly location: { readonly file: string; readonly line: number | undefined } | undefined
  /** Rules that are not reported for this tool, with the reason. */
  readonly suppressions: readonly { readonly rule: string; readonly reason: string }[]
}

/** MCP's hints as declared: any may be missing, and any may be false. */
export interface ReviewedAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** What only the definition of a Curfew tool contains. */
export type CurfewFields = Pick<
  Tool,
  | 'adapter'
  | 'readOnly'
  | 'concurrent'
  | 'idempotent'
  | 'destructive'
  | 'openWorld'
  | 'declared'
  | 'timeoutMs'
>

export type Severity = 'error' | 'warning' | 'note'

export interface Finding {
  readonly rule: string
  readonly severity: Severity
  /** The problem in one sentence, with the parameter's name if it concerns one. */
  readonly message: string
  /** The replacement to paste (a name, a sentence or a schema fragment); `null` unless it is certain. */
  readonly rewrite: string | null
  /** JSON pointer into the definition: `/description`, `/inputSchema/properties/city`. */
  readonly pointer: string
  /** The number of places; the pointer is that of the first. */
  readonly count: number
  /** The value to set at the pointer, or `undefined` to remove it; present only if that is safe to apply automatically. */
  readonly fix?: { readonly pointer: string; readonly value: unknown }
}

/** Must not throw for any tool. */
export interface Rule {
  readonly id: string
  /** For tools in Curfew's own format, where `usage` has its own field. */
  readonly severity: Severity
  /** For definitions published over MCP. */
  readonly publishedSeverity: Severity
  readonly summary: string
  /** `siblings`: all tools reviewed together, including this one; the same array for each, so that indexes over it can be cached. */
  check(tool: ReviewedTool, siblings: readonly ReviewedTool[]): readonly Finding[]
}

/**
 * One reason for a score. `base`: the score it starts from; `points`: added to it, 0 if not earned; `cap`: the
 * highest score possible; `total`: the complete score; `detail`: an explanation without a value.
 */
export type Evidence =
  | {
      readonly kind: 'base' | 'points' | 'cap' | 'total'
      readonly value: number
      readonly reason: string
    }
  | { readonly kind: 'detail'; readonly reason: string }

export interface DimensionScore {
  /** From 1 to 5. */
  readonly score: number
  readonly evidence: readonly Evidence[]
}

export type Dimension = 'purpose' | 'usage' | 'behaviour' | 'parameters' | 'conciseness' | 'completeness'

export interface ToolScore {
  readonly overall: number
  readonly dimensions: Readonly<Record<Dimension, DimensionScore>>
  /** Dimensions that score below 3. */
  readonly smells: readonly Dimension[]
  /** The rule that caps the grade at C, if any. */
  readonly cappedBy: string | null
}

/** D is the lowest grade. */
export type Grade = 'A' | 'B' | 'C' | 'D'

export interface ToolReview {
  readonly name: string
  readonly findings: readonly Finding[]
  readonly suppressed: readonly { readonly finding: Finding; readonly reason: string }[]
  readonly score: ToolScore
  readonly grade: Grade
  readonly location: ReviewedTool['location']
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
  /** What most tools have in common. */
  readonly findings: readonly Finding[]
}

export interface Review {
  readonly tools: readonly ToolReview[]
  readonly server: ServerReview | null
}
