/** `@curfew/agent/tools`: what an agent works with. */

export { type DelegationOptions, delegationTools } from './agents/delegation-tools.ts'
export { type ExternalAgentSettings, externalAgents } from './agents/external-agents.ts'
export { type AgentFile, loadAgentFiles } from './agents/load-agent-files.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
