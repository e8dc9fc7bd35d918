export type { HistoryItem } from './history/history-item.ts'
export { ModelError, type ModelErrorKind, type ModelFailure, type ModelUsage } from './models/model-error.ts'
export type { ModelLimits } from './models/model-limits.ts'
export { type ModelName, parseModelName } from './models/parse-model-name.ts'
