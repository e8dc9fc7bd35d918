import { createWorkspace, fetchUrlTool, type Workspace } from '@curfew/agent/tools'
import type { Tool } from '@curfew/core'
import type { Config } from '@curfew/extensions'
import { resultsFolder } from '../call/results-folder.ts'

export interface AgentToolOptions {
  readonly config: Pick<Config, 'roots' | 'agent'>
  /** Removes known secrets. */
  redact(text: string): string
}

export interface AgentTools {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
}

/** The tools that Curfew's agent has in addition to the configured ones. */
export function agentTools({ config, redact }: AgentToolOptions): AgentTools {
  const workspace = createWorkspace({
    root: config.roots.projectFolder,
    readableFolders: [resultsFolder()],
  })
  return { workspace, tools: [fetchUrlTool({ allow: config.agent.fetchAllow, redact })] }
}
