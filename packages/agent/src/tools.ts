/** `@curfew/agent/tools`: what an agent works with. */
export { checkSandbox } from './tools/commands/check-sandbox.ts'
export { type CommandToolOptions, commandTools } from './tools/commands/command-tool-set.ts'
export type { SandboxMode } from './tools/commands/sandbox.ts'
export { askUserTool, type UserAnswer } from './tools/people/ask-user-tool.ts'
export { type Todo, type TodoReport, type TodoTool, todoTool } from './tools/people/todo-tool.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
