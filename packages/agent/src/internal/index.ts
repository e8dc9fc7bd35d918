/** `@curfew/agent/internal`: for Curfew's own packages only, without any stability promise. */
export { ensureFolder, openOwnFile, projectFolder } from '../sessions/session-folder.ts'
