/** `@curfew/agent/tools`: what an agent works with. */
export { fileTools } from './tools/files/file-tools.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export { findWorkspaceRoot } from './workspace/find-workspace-root.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
