import {
  askUserTool,
  commandTools,
  createWorkspace,
  type EditorFiles,
  fileTools,
  findWorkspaceRoot,
  todoTool,
  type Workspace,
} from '@curfew/agent/tools'
import type { Runtime, Tool } from '@curfew/core'
import type { Config, ConfigRoots } from '@curfew/extensions'
import { realFolder } from '@curfew/extensions/internal'
import { resultsFolder } from '../call/results-folder.ts'
import { UsageError } from '../command.ts'
import { stateHome } from '../state-home.ts'

export interface AgentToolOptions {
  readonly roots: ConfigRoots
  readonly config: Pick<Config, 'sandbox' | 'secretFiles'>
  readonly runtime: Runtime
  /** Where the agent was started. */
  readonly cwd: string
  /** `--add-dir`. */
  readonly addedFolders: readonly string[]
  readonly editor: EditorFiles | undefined
}

export interface AgentTools {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
}

/** The tools that Curfew's agent has in addition to the configured ones. */
export function agentTools(options: AgentToolOptions): AgentTools {
  const { roots, config, runtime, cwd, addedFolders, editor } = options
  const missing = addedFolders.find((folder) => realFolder(folder) === null)
  if (missing !== undefined)
    throw new UsageError(`curfew: --add-dir: expected a folder, got ${JSON.stringify(missing)}`)
  const workspace = createWorkspace({
    root: findWorkspaceRoot(cwd),
    addedFolders,
    readableFolders: [resultsFolder()],
    secretFiles: config.secretFiles,
    protectedFolders: [roots.user, stateHome(), ...(roots.project === null ? [] : [roots.project.path])],
  })
  const commands = commandTools(workspace, {
    runtime,
    sandbox: config.sandbox,
    hiddenFolders: [roots.user, stateHome()],
    readableFolders: [resultsFolder()],
  })
  const todos = todoTool(runtime)
  return { workspace, tools: [...fileTools(workspace, { editor }), ...commands, askUserTool, todos.tool] }
}
