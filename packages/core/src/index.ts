export { niceTool, timeoutTool } from './builtin/command-tools.ts'
export { type SleepReport, sleepTool } from './builtin/sleep-tool.ts'
export { type StoredReport, storeSecretTool } from './builtin/store-secret-tool.ts'
export type { CallFailure, CallResult, CallSuccess } from './call/call-result.ts'
export type { CallRow } from './call/call-row.ts'
export { type CallState, type CallStatus, callEdges } from './call/call-state.ts'
export type { ToolCall } from './call/tool-call.ts'
export type { Clock, Timer } from './clock/clock.ts'
export { type Adapter, adapterTimeouts } from './deadline/adapter-timeouts.ts'
export {
  describeSource,
  type ResolvedTimeout,
  resolveTimeout,
  type TimeoutInputs,
  type TimeoutSource,
} from './deadline/resolve-timeout.ts'
export { ToolTimeoutError } from './deadline/tool-timeout-error.ts'
export { formatDuration } from './duration/format-duration.ts'
export { type Duration, parseDuration } from './duration/parse-duration.ts'
export { CurfewError, type ErrorCode } from './errors/curfew-error.ts'
export { type ExecuteToolCallOptions, executeToolCall } from './execute/execute-tool-call.ts'
export type {
  Answer,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalQuestion,
  InputAnswer,
  InputQuestion,
  Question,
  QuestionHandler,
  SecretAnswer,
  SecretQuestion,
  SecretUseQuestion,
} from './policy/question.ts'
export type { ContinuationStatus, TurnStatus } from './policy/turns.ts'
export type { ProcessReport } from './process/describe-result.ts'
export {
  createRuntime,
  type ExecuteOptions,
  type Runtime,
  type RuntimeSnapshot,
} from './runtime/create-runtime.ts'
export type { Log, LogEntry } from './runtime/log.ts'
export type { RuntimeOptions } from './runtime/runtime-options.ts'
export type { JsonSchema } from './schema/json-schema.ts'
export { type CredentialProblem, CredentialRequiredError } from './secrets/credential-required-error.ts'
export type { SecretLookup, Vault } from './secrets/vault.ts'
export type { CallDelta, Transition } from './store/call-store.ts'
export { defineTool } from './tool/define-tool.ts'
export type { ThreadFunction, Tool, ToolDefinition } from './tool/tool.ts'
export { type ToolAnnotations, toolAnnotations } from './tool/tool-annotations.ts'
export type { InputRequest, OutputStream, Progress, SecretRequest, ToolContext } from './tool/tool-context.ts'
export { type ToolView, toolView, type View } from './tool/tool-views.ts'
