import { askUserTool, commandTools, createWorkspace, todoTool, type Workspace } from '@curfew/agent/tools'
import type { Runtime, Tool } from '@curfew/core'
import type { Config, ConfigRoots } from '@curfew/extensions'
import { resultsFolder } from '../call/results-folder.ts'
import { stateHome } from '../state-home.ts'

export interface AgentToolOptions {
  readonly roots: ConfigRoots
  readonly config: Pick<Config, 'sandbox'>
  readonly runtime: Runtime
}

export interface AgentTools {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
}

/** The tools that Curfew's agent has in addition to the configured ones. */
export function agentTools({ roots, config, runtime }: AgentToolOptions): AgentTools {
  const workspace = createWorkspace({
    root: roots.projectFolder,
    readableFolders: [resultsFolder()],
  })
  const commands = commandTools(workspace, {
    runtime,
    sandbox: config.sandbox,
    hiddenFolders: [roots.user, stateHome()],
    readableFolders: [resultsFolder()],
  })
  const todos = todoTool(runtime)
  return { workspace, tools: [...commands, askUserTool, todos.tool] }
}
