/** `@curfew/agent/internal`: for Curfew's own packages only, without any stability promise. */
export { projectFolder } from '../sessions/session-folder.ts'
export { permissionCommands } from '../tools/commands/mentioned-files.ts'
export { agentFiles } from '../workspace/protected-files.ts'
