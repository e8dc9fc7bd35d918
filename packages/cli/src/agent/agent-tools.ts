import { createWorkspace, type Workspace } from '@curfew/agent/tools'
import type { Tool } from '@curfew/core'
import type { ConfigRoots } from '@curfew/extensions'
import { resultsFolder } from '../call/results-folder.ts'

export interface AgentToolOptions {
  readonly roots: ConfigRoots
}

export interface AgentTools {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
}

/** The tools that Curfew's agent has in addition to the configured ones. */
export function agentTools({ roots }: AgentToolOptions): AgentTools {
  const workspace = createWorkspace({
    root: roots.projectFolder,
    readableFolders: [resultsFolder()],
  })
  return { workspace, tools: [] }
}
