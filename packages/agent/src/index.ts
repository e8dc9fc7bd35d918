export type { CommandAgent, CommandHost, McpHost, McpPrompt, ShellTool } from './commands/command-host.ts'
export type { Candidate } from './commands/complete-command.ts'
export { completePath } from './commands/complete-path.ts'
export { type FileMentionOptions, type FileResolvers, fileResolvers } from './commands/file-mentions.ts'
export type { Mention } from './commands/find-mentions.ts'
export { parseInput, type TypedInput } from './commands/parse-input.ts'
export type { CommandProblem, CommandRoot } from './commands/read-command-files.ts'
export {
  type MentionResolver,
  type MentionResolvers,
  resolveMentions,
  resourceResolver,
} from './commands/resolve-mentions.ts'
export { type CommandResult, defineCommand, type SlashCommand } from './commands/slash-command.ts'
export { createCommands, type SlashCommands } from './commands/slash-commands.ts'
export { textOfResult } from './commands/text-of-result.ts'
export { urlResolver } from './commands/url-resolver.ts'
export { loadUserCommands } from './commands/user-commands.ts'
export type { ContextNotice, ContextUsage } from './context/context-notice.ts'
export type { ContextWindow } from './context/context-windows.ts'
export type { HistoryItem, UserPart } from './history/history-item.ts'
export type { Agent } from './loop/agent.ts'
export { type AgentDelta, applyAgentDelta } from './loop/agent-delta.ts'
export type { AgentEvent, EndReason } from './loop/agent-event.ts'
export type { AgentMode } from './loop/agent-mode.ts'
export type { AgentOptions } from './loop/agent-options.ts'
export type { AgentSnapshot } from './loop/agent-state.ts'
export { createAgent } from './loop/create-agent.ts'
export type { TurnMiddleware } from './loop/turn-middleware.ts'
export type { ModelPrice, Prices } from './loop/usage-meter.ts'
export { ModelError, type ModelErrorKind, type ModelFailure, type ModelUsage } from './models/model-error.ts'
export type { ModelLimits } from './models/model-limits.ts'
export { nameOfModel } from './models/name-of-model.ts'
export { type ModelName, parseModelName } from './models/parse-model-name.ts'
export {
  type ModelEvent,
  type ModelRequest,
  type StreamModelOptions,
  streamModel,
} from './models/stream-model.ts'
export { transportParts } from './models/transport-parts.ts'
export { listSessions, type SessionSummary } from './sessions/list-sessions.ts'
export { readSession, type SessionContents } from './sessions/read-session.ts'
export { removeOldSessions, removeSession } from './sessions/remove-sessions.ts'
export { type RestoredHistory, restoreHistory } from './sessions/restore-history.ts'
export { type ResumedSession, resumeSession } from './sessions/resume-session.ts'
export { createSession, type Session } from './sessions/session-file.ts'
export type { SessionHeader, SessionRecord } from './sessions/session-record.ts'
