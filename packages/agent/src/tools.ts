/** `@curfew/agent/tools`: what an agent works with. */
export { type DescribedChange, describeFileChange } from './tools/files/describe-file-change.ts'
export type { EditorFiles } from './tools/files/editor-files.ts'
export { type FileToolOptions, fileTools } from './tools/files/file-tools.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export { findWorkspaceRoot } from './workspace/find-workspace-root.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
