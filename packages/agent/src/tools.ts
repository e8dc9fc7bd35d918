/** `@curfew/agent/tools`: what an agent works with. */
export { fileTools } from './tools/files/file-tools.ts'
export type { FilesReport } from './tools/search/find-files-tool.ts'
export type { FoundLine } from './tools/search/found-line.ts'
export type { SearchReport } from './tools/search/search-report.ts'
export { type SearchToolsOptions, searchTools } from './tools/search/search-tools.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export { findWorkspaceRoot } from './workspace/find-workspace-root.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
