/** `@curfew/agent/tools`: what an agent works with. */
export { type FetchUrlOptions, fetchUrlTool } from './tools/web/fetch-url-tool.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
