/** `@curfew/agent/tools`: what an agent works with. */
export { createMemory, type Memory, type MemoryOptions } from './memory/create-memory.ts'
export { type SaveMemoryOptions, saveMemoryTool } from './memory/save-memory-tool.ts'
export { loadSkillTool } from './skills/load-skill-tool.ts'
export { type LoadedSkills, loadSkills, type Skill, type SkillRoot } from './skills/load-skills.ts'
export { skillsPrompt } from './skills/skills-prompt.ts'
export { type FetchUrlOptions, fetchUrlTool } from './tools/web/fetch-url-tool.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
