import {
  askUserTool,
  commandTools,
  createMemory,
  createWorkspace,
  type EditorFiles,
  fetchUrlTool,
  fileTools,
  findWorkspaceRoot,
  loadSkills,
  loadSkillTool,
  type Memory,
  saveMemoryTool,
  skillsPrompt,
  todoTool,
  type Workspace,
} from '@curfew/agent/tools'
import type { Runtime, Tool } from '@curfew/core'
import type { Config } from '@curfew/extensions'
import { realFolder } from '@curfew/extensions/internal'
import { resultsFolder } from '../call/results-folder.ts'
import { UsageError } from '../command.ts'
import { stateHome } from '../state-home.ts'
import { skillRoots } from './skill-roots.ts'

export interface AgentToolOptions {
  readonly config: Config
  readonly runtime: Runtime
  /** Where the agent was started. */
  readonly cwd: string
  /** `--add-dir`. */
  readonly addedFolders: readonly string[]
  readonly editor: EditorFiles | undefined
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
export function agentTools(options: AgentToolOptions): AgentTools {
  const { config, runtime, cwd, addedFolders, editor, notify } = options
  const { roots } = config
  const missing = addedFolders.find((folder) => realFolder(folder) === null)
  if (missing !== undefined)
    throw new UsageError(`curfew: --add-dir: expected a folder, got ${JSON.stringify(missing)}`)
  const { skills, problems } = loadSkills(skillRoots(roots, notify))
  for (const { severity, file, line, message } of problems)
    notify(`${severity}: ${file}${line === null ? '' : `:${line}`}: ${message}`)
  const workspace = createWorkspace({
    root: findWorkspaceRoot(cwd),
    addedFolders,
    readableFolders: [resultsFolder(), ...skills.map(({ folder }) => folder)],
    secretFiles: config.secretFiles,
    protectedFolders: [roots.user, stateHome(), ...(roots.project === null ? [] : [roots.project.path])],
  })
  const commands = commandTools(workspace, {
    runtime,
    sandbox: config.sandbox,
    hiddenFolders: [roots.user, stateHome()],
    readableFolders: [resultsFolder()],
  })
  const shown = new Set<string>()
  const memory = createMemory({
    userFolder: roots.user,
    workspace,
    folder: cwd,
    onRefresh(notices) {
      for (const notice of notices) if (!shown.has(notice)) notify(`warning: ${notice}`)
      for (const notice of notices) shown.add(notice)
    },
  })
  const { redact } = runtime
  return {
    workspace,
    tools: [
      ...fileTools(workspace, { editor }),
      ...commands,
      fetchUrlTool({ allow: config.agent.fetchAllow, redact }),
      askUserTool,
      todoTool(runtime).tool,
      saveMemoryTool({ memory, workspace, redact }),
      ...(skills.length === 0 ? [] : [loadSkillTool(skills)]),
    ],
    memory,
    instructions: () => [memory.prompt(), skillsPrompt(skills)].filter((text) => text !== '').join('\n\n'),
  }
}
