/** `@curfew/review`: what a model will make of a tool's definition, before one meets it. */
export { checkDefinition } from './check-definition.ts'
export { reviewTools } from './review-tools.ts'
export type {
  Dimension,
  DimensionScore,
  Finding,
  Grade,
  OwnTool,
  Review,
  ReviewedAnnotations,
  ReviewedTool,
  Rule,
  ServerReview,
  Severity,
  ToolReview,
  ToolScore,
} from './review-types.ts'
export { fromDefinition, fromTool } from './reviewed-tool.ts'
export { rules } from './rules/index.ts'
export { scoreTool } from './score-tool.ts'
export { sourceRules } from './source-rules.ts'
export { type ReadSuppressions, readSuppressions } from './suppressions.ts'
