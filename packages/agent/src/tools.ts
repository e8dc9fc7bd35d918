/** `@curfew/agent/tools`: what an agent works with. */

export { type DelegationOptions, delegationTools } from './agents/delegation-tools.ts'
export { type ExternalAgentSettings, externalAgents } from './agents/external-agents.ts'
export { type AgentFile, loadAgentFiles } from './agents/load-agent-files.ts'
export type { Checkpoint, UncoveredPath } from './checkpoints/checkpoint.ts'
export {
  type CheckpointHost,
  type CheckpointHostOptions,
  createCheckpointHost,
} from './checkpoints/create-checkpoint-host.ts'
export {
  type CheckpointOptions,
  type CheckpointRequest,
  type Checkpoints,
  createCheckpoints,
  type RestoreReport,
} from './checkpoints/create-checkpoints.ts'
export type { RestorePlan } from './checkpoints/plan-restore.ts'
export { removeOldCheckpoints } from './checkpoints/remove-old-checkpoints.ts'
export { createMemory, type Memory, type MemoryOptions } from './memory/create-memory.ts'
export { type SaveMemoryOptions, saveMemoryTool } from './memory/save-memory-tool.ts'
export { loadSkillTool } from './skills/load-skill-tool.ts'
export { type LoadedSkills, loadSkills, type Skill, type SkillRoot } from './skills/load-skills.ts'
export { skillsPrompt } from './skills/skills-prompt.ts'
export { checkSandbox } from './tools/commands/check-sandbox.ts'
export { type CommandToolOptions, commandTools } from './tools/commands/command-tool-set.ts'
export { restrictProgramTool } from './tools/commands/restrict-program-tool.ts'
export type { SandboxMode } from './tools/commands/sandbox.ts'
export { sandboxChecks } from './tools/commands/sandbox-guard.ts'
export { type DescribedChange, describeFileChange } from './tools/files/describe-file-change.ts'
export type { EditorFiles } from './tools/files/editor-files.ts'
export { type FileToolOptions, fileTools } from './tools/files/file-tools.ts'
export { askUserTool, type UserAnswer } from './tools/people/ask-user-tool.ts'
export { type Todo, type TodoReport, type TodoTool, todoTool } from './tools/people/todo-tool.ts'
export type { FilesReport } from './tools/search/find-files-tool.ts'
export type { FoundLine } from './tools/search/found-line.ts'
export type { SearchReport } from './tools/search/search-report.ts'
export { type SearchToolsOptions, searchTools } from './tools/search/search-tool-set.ts'
export { type FetchUrlOptions, fetchUrlTool } from './tools/web/fetch-url-tool.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export { findWorkspaceRoot } from './workspace/find-workspace-root.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
