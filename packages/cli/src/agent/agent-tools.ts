import {
  createWorkspace,
  fileTools,
  findWorkspaceRoot,
  searchTools,
  type Workspace,
} from '@curfew/agent/tools'
import type { Tool } from '@curfew/core'
import type { ConfigRoots } from '@curfew/extensions'
import { realFolder } from '@curfew/extensions/internal'
import { resultsFolder } from '../call/results-folder.ts'
import { UsageError } from '../command.ts'
import { stateHome } from '../state-home.ts'

export interface AgentToolOptions {
  readonly roots: ConfigRoots
  /** `--add-dir`. */
  readonly addedFolders: readonly string[]
  readonly secretFiles: readonly string[]
}

export interface AgentTools {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
}

/** The tools that Curfew's agent has in addition to the configured ones. */
export function agentTools({ roots, addedFolders, secretFiles }: AgentToolOptions): AgentTools {
  const missing = addedFolders.find((folder) => realFolder(folder) === null)
  if (missing !== undefined)
    throw new UsageError(`curfew: --add-dir: expected a folder, got ${JSON.stringify(missing)}`)
  const workspace = createWorkspace({
    root: findWorkspaceRoot(process.cwd()),
    addedFolders,
    readableFolders: [resultsFolder()],
    secretFiles,
    protectedFolders: [roots.user, stateHome(), ...(roots.project === null ? [] : [roots.project.path])],
  })
  return { workspace, tools: [...fileTools(workspace), ...searchTools(workspace)] }
}
