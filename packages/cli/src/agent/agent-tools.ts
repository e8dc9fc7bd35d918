import {
  createWorkspace,
  delegationTools,
  type ExternalAgentSettings,
  externalAgents,
  loadAgentFiles,
  type Workspace,
} from '@curfew/agent/tools'
import type { Runtime, Tool } from '@curfew/core'
import type { Config } from '@curfew/extensions'
import { resultsFolder } from '../call/results-folder.ts'
import { contextWindowOf } from '../models/context-window.ts'
import { mediaModels } from '../models/open-media-model.ts'
import type { OpenModelOptions } from '../models/open-model.ts'
import type { ChildModels } from './child-models.ts'
import { commandRoots } from './command-roots.ts'

export interface AgentToolOptions {
  readonly config: Config
  readonly runtime: Runtime
  readonly vault: OpenModelOptions['vault']
  readonly models: ChildModels
  /** Begins the system prompt of agents inside of the agent. */
  readonly system: string
  /** Shows a line to the person. */
  readonly notify: (message: string) => void
}

export interface AgentTools {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
}

/** The tools that Curfew's agent has in addition to the configured ones. */
export async function agentTools(options: AgentToolOptions): Promise<AgentTools> {
  const { config, runtime, vault, models, system, notify } = options
  const { roots, agent } = config
  const workspace = createWorkspace({
    root: roots.projectFolder,
    readableFolders: [resultsFolder()],
  })
  const { agents, problems } = await loadAgentFiles(commandRoots(roots))
  for (const { severity, file, line, message } of problems)
    notify(`${severity}: ${file}${line === null ? '' : `:${line}`}: ${message}`)
  const delegation = delegationTools({
    runtime,
    workspace,
    system,
    agents,
    model: models.model,
    openModel: models.openModel,
    limits: { continuations: config.options.limits?.continuations, model: agent.modelTimeouts },
    contextWindow: (id) => contextWindowOf(id, config.models.entries),
    maxSubagentMs: agent.maxSubagentMs ?? undefined,
    externalAgents: externalAgents(agent.externalAgents as Readonly<Record<string, ExternalAgentSettings>>),
    ...mediaModels({ settings: config.models, vault, hideSecret: runtime.hideSecret }),
  })
  return { workspace, tools: [...delegation] }
}
