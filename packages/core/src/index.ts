export { niceTool, timeoutTool } from './builtin/command-tools.ts'
export { sleepTool } from './builtin/sleep-tool.ts'
export { storeSecretTool } from './builtin/store-secret-tool.ts'
export type { CallResult } from './call/call-result.ts'
export type { CallRow } from './call/call-row.ts'
export type { CallState, CallStatus } from './call/call-state.ts'
export type { Progress } from './call/progress.ts'
export type { Answer, Question, QuestionHandler } from './call/question.ts'
export type { ResultPart } from './call/result-part.ts'
export type { ToolCall } from './call/tool-call.ts'
export { type ToolResult, toolResult } from './call/tool-result.ts'
export { resolveTimeout } from './deadline/resolve-timeout.ts'
export { ToolTimeoutError } from './deadline/tool-timeout-error.ts'
export { formatDuration } from './duration/format-duration.ts'
export { type Duration, parseDuration } from './duration/parse-duration.ts'
export { CurfewError, type ErrorCode } from './errors/curfew-error.ts'
export { executeToolCall } from './execute/execute-tool-call.ts'
export type { Log } from './options/log.ts'
export type { RuntimeOptions } from './options/runtime-options.ts'
export type { OutputRead } from './output/call-output.ts'
export type { CallDelta } from './rows/call-delta.ts'
export {
  createRuntime,
  type Runtime,
  type RuntimeSnapshot,
} from './runtime/create-runtime.ts'
export type { ExecuteOptions } from './runtime/execute-options.ts'
export type { JsonSchema } from './schema/json-schema.ts'
export { CredentialRequiredError } from './secrets/credential-required-error.ts'
export type { Vault } from './secrets/vault.ts'
export type { Transition } from './store/call-store.ts'
export type {
  Conversation,
  ConversationMode,
  ConversationOptions,
  Reservation,
  Step,
  Turn,
  TurnStatus,
} from './tool/conversation.ts'
export { defineTool } from './tool/define-tool.ts'
export type { Middleware } from './tool/middleware.ts'
export type { Restriction, Tool, ToolDefinition } from './tool/tool.ts'
export type { ToolContext } from './tool/tool-context.ts'
export type { ToolView } from './tool/tool-views.ts'
