/** `@curfew/core/rows`: the rows of calls for user interfaces; runs in browsers. */
export type { AllowedBy } from '../call/allowed-by.ts'
export type { CallRow } from '../call/call-row.ts'
export { type CallStatus, callEdges, isTerminal } from '../call/call-state.ts'
export type { Progress } from '../call/progress.ts'
export type { Answer, Question } from '../call/question.ts'
export { formatDuration } from '../duration/format-duration.ts'
export type { CallDelta, CallSnapshot } from './call-delta.ts'
export { createMirror, type Mirror } from './create-mirror.ts'
