import {
  createMemory,
  createWorkspace,
  fetchUrlTool,
  loadSkills,
  loadSkillTool,
  type Memory,
  saveMemoryTool,
  skillsPrompt,
  type Workspace,
} from '@curfew/agent/tools'
import type { Tool } from '@curfew/core'
import type { Config } from '@curfew/extensions'
import { resultsFolder } from '../call/results-folder.ts'
import { skillRoots } from './skill-roots.ts'

export interface AgentToolOptions {
  readonly config: Pick<Config, 'roots' | 'agent'>
  /** Removes known secrets. */
  redact(text: string): string
  /** Shows a line to the person. */
  notify(message: string): void
}

export interface AgentTools {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
  readonly memory: Memory
  /** The part of the system prompt that comes from files of the user and of the project. */
  instructions(): string
}

/** The tools that Curfew's agent has in addition to the configured ones. */
export function agentTools({ config, redact, notify }: AgentToolOptions): AgentTools {
  const { roots } = config
  const { skills, problems } = loadSkills(skillRoots(roots, notify))
  for (const { severity, file, line, message } of problems)
    notify(`${severity}: ${file}${line === null ? '' : `:${line}`}: ${message}`)
  const workspace = createWorkspace({
    root: roots.projectFolder,
    readableFolders: [resultsFolder(), ...skills.map(({ folder }) => folder)],
  })
  const shown = new Set<string>()
  const memory = createMemory({
    userFolder: roots.user,
    workspace,
    folder: process.cwd(),
    onRefresh(notices) {
      for (const notice of notices) if (!shown.has(notice)) notify(`warning: ${notice}`)
      for (const notice of notices) shown.add(notice)
    },
  })
  return {
    workspace,
    tools: [
      fetchUrlTool({ allow: config.agent.fetchAllow, redact }),
      saveMemoryTool({ memory, workspace, redact }),
      ...(skills.length === 0 ? [] : [loadSkillTool(skills)]),
    ],
    memory,
    instructions: () => [memory.prompt(), skillsPrompt(skills)].filter((text) => text !== '').join('\n\n'),
  }
}
