export type { HistoryItem, UserPart } from './history/history-item.ts'
export type { AgentEvent, EndReason } from './loop/agent-event.ts'
export type { AgentSnapshot } from './loop/agent-state.ts'
export { type Agent, type AgentOptions, createAgent } from './loop/create-agent.ts'
