import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, Session, TurnMiddleware } from '@curfew/agent'
import {
  askUserTool,
  type CheckpointHost,
  type Checkpoints,
  commandTools,
  createCheckpointHost,
  createCheckpoints,
  createMemory,
  createWorkspace,
  delegationTools,
  type EditorFiles,
  type ExternalAgentSettings,
  externalAgents,
  fetchUrlTool,
  fileTools,
  findWorkspaceRoot,
  loadAgentFiles,
  loadSkills,
  loadSkillTool,
  type Memory,
  removeOldCheckpoints,
  type SkillRoot,
  saveMemoryTool,
  searchTools,
  skillsPrompt,
  todoTool,
  type Workspace,
} from '@curfew/agent/tools'
import type { Runtime, Tool } from '@curfew/core'
import type { Config, ConfigRoots } from '@curfew/extensions'
import { homeFolder, realFolder } from '@curfew/extensions/internal'
import { resultsFolder } from '../call/results-folder.ts'
import { UsageError } from '../command.ts'
import { contextWindowOf } from '../models/context-window.ts'
import { mediaModels } from '../models/open-media-model.ts'
import type { OpenModelOptions } from '../models/open-model.ts'
import { stateHome } from '../state-home.ts'
import type { ChildModels } from './child-models.ts'
import { commandRoots } from './command-roots.ts'
import { namedPrograms } from './named-programs.ts'
import { ownFolders } from './own-folders.ts'

export interface AgentToolOptions {
  readonly config: Config
  readonly runtime: Runtime
  readonly vault: OpenModelOptions['vault']
  readonly models: ChildModels
  /** Begins the system prompt of agents inside the agent. */
  readonly system: string
  /** The folder that the conversation is about. */
  readonly cwd: string
  /** `--add-dir`. */
  readonly addedFolders: readonly string[]
  /** Text files are read and written through it. */
  readonly editor?: EditorFiles | undefined
  /** Shows a line to the person. */
  readonly notify: (message: string) => void
  /** Wraps the turns of agents inside the agent. */
  readonly turnMiddleware?: TurnMiddleware | undefined
}

export interface AgentTools {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
  readonly memory: Memory
  /** The part of the system prompt that comes from files of the user and of the project. */
  instructions(): string
}

/** The tools that Curfew's agent has in addition to the configured ones. */
export async function agentTools(options: AgentToolOptions): Promise<AgentTools> {
  const { config, runtime, vault, models, system, cwd, addedFolders, editor, notify } = options
  const { roots, agent } = config
  const missing = addedFolders.find((folder) => realFolder(folder) === null)
  if (missing !== undefined)
    throw new UsageError(`curfew: --add-dir: expected a folder, got ${JSON.stringify(missing)}`)
  const { skills, problems } = loadSkills(skillRoots(roots, notify))
  for (const { severity, file, line, message } of problems)
    notify(`${severity}: ${file}${line === null ? '' : `:${line}`}: ${message}`)
  const root = findWorkspaceRoot(cwd, (message) => notify(`warning: ${message}`))
  const workspace = createWorkspace({
    root,
    addedFolders,
    readableFolders: [resultsFolder(root), ...skills.map(({ folder }) => folder)],
    secretFiles: config.secretFiles,
    protectedFolders: [
      ...ownFolders(roots.user),
      ...namedPrograms(roots),
      ...(roots.project === null ? [] : [roots.project.path]),
    ],
  })
  const commands = commandTools(workspace, {
    runtime,
    sandbox: config.sandbox,
    hiddenFolders: ownFolders(roots.user),
    readableFolders: [resultsFolder(root)],
    stateFolder: stateHome(),
    onFinding: (finding) => notify(`warning: ${finding}`),
  })
  const { agents, problems: agentProblems } = await loadAgentFiles(commandRoots(roots))
  for (const { severity, file, line, message } of agentProblems)
    notify(`${severity}: ${file}${line === null ? '' : `:${line}`}: ${message}`)
  const delegation = delegationTools({
    runtime,
    workspace,
    system,
    agents,
    model: models.model,
    openModel: models.openModel,
    turnMiddleware: options.turnMiddleware,
    limits: { continuations: config.options.limits?.continuations, model: agent.modelTimeouts },
    contextWindow: (id) => contextWindowOf(id, config.models.entries),
    maxSubagentMs: agent.maxSubagentMs ?? undefined,
    externalAgents: externalAgents(agent.externalAgents as Readonly<Record<string, ExternalAgentSettings>>),
    ...mediaModels({ settings: config.models, vault, hideSecret: runtime.hideSecret }),
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
      ...searchTools(workspace),
      ...commands,
      fetchUrlTool({ allow: agent.fetchAllow, redact }),
      askUserTool,
      todoTool(runtime).tool,
      saveMemoryTool({ memory, workspace, redact }),
      ...(skills.length === 0 ? [] : [loadSkillTool(skills)]),
      ...delegation,
    ],
    memory,
    instructions: () => [memory.prompt(), skillsPrompt(skills)].filter((text) => text !== '').join('\n\n'),
  }
}

const folders = [join('.agents', 'skills'), join('.curfew', 'skills')]

/** The user's first, so that a project cannot replace them. A project's skills are instructions that the model follows, so they require trust. */
function skillRoots(
  { user, project, projectFolder }: ConfigRoots,
  notify: (message: string) => void,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): SkillRoot[] {
  const own = [{ folder: join(user, 'skills') }, { folder: join(homeFolder(env), '.agents', 'skills') }]
  const ofProject = folders.map((folder) => join(projectFolder, folder))
  if (project?.trusted || env.CURFEW_TRUST === '1')
    return [...own, ...ofProject.map((folder) => ({ folder, project: projectFolder }))]
  const ignored = ofProject.find((folder) => existsSync(folder) && folder !== own[1]!.folder)
  if (ignored !== undefined) {
    const first = project === null ? 'curfew init --project, then ' : ''
    notify(
      `warning: ${ignored} is ignored, because its skills are instructions for the model; review them, then run: ${first}curfew trust`,
    )
  }
  return own
}

interface OpenedCheckpoints {
  readonly checkpoints: Checkpoints
  readonly workspace: Workspace
  readonly conversation: string
}

/** The checkpoints of the workspace. */
export function openCheckpoints(
  workspace: Workspace,
  session: Session | null,
  notify: (message: string) => void,
): OpenedCheckpoints {
  const conversation = session?.id ?? randomUUID()
  const checkpoints = createCheckpoints({
    root: workspace.root,
    folder: stateHome(),
    conversation,
    isSecret: (path) => workspace.secretPattern(path) !== null,
    onNotice: notify,
  })
  void removeOldCheckpoints({ folder: stateHome() }).catch(() => {})
  return { checkpoints, workspace, conversation }
}

/** `/restore`. */
export function checkpointHost(
  { checkpoints, workspace, conversation }: OpenedCheckpoints,
  agent: Agent,
  runtime: Runtime,
): CheckpointHost {
  const { root, folders } = workspace
  const otherFolders = folders.filter((folder) => folder !== root && !folder.startsWith(`${root}/`))
  return createCheckpointHost({ checkpoints, agent, runtime, conversation, otherFolders })
}
