/** `@curfew/review`: reviews tool definitions for what will mislead a model, and scores them. */
export { fromTool } from './from-tool.ts'
export { fromDefinition, type ReadDefinition, readDefinition } from './read-definition.ts'
export { reviewTools } from './review-tools.ts'
export type {
  CurfewFields,
  Dimension,
  DimensionScore,
  Evidence,
  Finding,
  Grade,
  Review,
  ReviewedAnnotations,
  ReviewedTool,
  Rule,
  ServerReview,
  Severity,
  ToolReview,
  ToolScore,
} from './review-types.ts'
export { rules } from './rules/index.ts'
export { type ReadSuppressions, readSuppressions } from './rules/read-suppressions.ts'
export { formatEvidence } from './score/format-evidence.ts'
export { scoreTool } from './score/score-tool.ts'
export { sourceRules } from './source-rules.ts'
