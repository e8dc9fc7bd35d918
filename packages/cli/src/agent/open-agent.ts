import { setTimeout as delay } from 'node:timers/promises'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  type Agent,
  type AgentMode,
  type AgentOptions,
  type CommandHost,
  completePath,
  createAgent,
  createCommands,
  fileResolvers,
  loadUserCommands,
  type McpHost,
  type MentionResolvers,
  nameOfModel,
  removeOldSessions,
  resourceResolver,
  type Session,
  type SlashCommands,
  urlResolver,
} from '@curfew/agent'
import { findWorkspaceRoot, restrictProgramTool, sandboxChecks, type Workspace } from '@curfew/agent/tools'
import {
  CurfewError,
  createRuntime,
  niceTool,
  type QuestionHandler,
  type Runtime,
  timeoutTool,
} from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { type Config, openVault } from '@curfew/extensions'
import type { ServerConfig } from '@curfew/mcp/config'
import { removeOldResults, resultsFolder } from '../call/results-folder.ts'
import { UsageError } from '../command.ts'
import { placeIn } from '../config/show-settings.ts'
import type { Recorder } from '../journal/recorder.ts'
import { type OpenedModel, openModel } from '../models/open-model.ts'
import { rejectNesting } from '../reject-nesting.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { chooseSession, type SessionChoice } from '../sessions/choose-session.ts'
import { stateHome } from '../state-home.ts'
import { startTelemetry, type Telemetry } from '../telemetry/start-telemetry.ts'
import { addServerTools, loadTools, type WithServerTools } from '../tools/load-tools.ts'
import { compactHost, initHost, modelHost, reviewHost } from './agent-hosts.ts'
import {
  type AgentToolOptions,
  type AgentTools,
  agentTools,
  checkpointHost,
  openCheckpoints,
} from './agent-tools.ts'
import { unmatchedRules, withAllowRules } from './allow-rules.ts'
import { ChildModels } from './child-models.ts'
import { commandRoots } from './command-roots.ts'
import { firstModel, pricedBudget, unavailableModel } from './first-model.ts'
import { logHost } from './log-host.ts'
import { ModelWatch } from './model-watch.ts'
import { noMcpServers } from './no-mcp-servers.ts'
import { type OpenedSession, startOrResume } from './start-or-resume.ts'
import { systemPrompt } from './system-prompt.ts'

export interface OpenAgentOptions
  extends Pick<AgentToolOptions, 'cwd' | 'addedFolders' | 'editor' | 'notify'> {
  /** Named in errors, such as `-p`. */
  readonly command: string
  /**
   * Include `timeout`, `nice` and `sleep`, whose commands run in the folder of this process.
   * @default true
   */
  readonly commandTools?: boolean | undefined
  /** Servers besides those of `mcp.json`. */
  readonly servers?: readonly ServerConfig[] | undefined
  /** `--model`. */
  readonly model: string | undefined
  /** `--set`. */
  readonly set: readonly string[]
  /** `--allow`. */
  readonly allow: readonly string[]
  readonly mode: AgentMode | undefined
  /** `null`: the conversation is not saved. */
  readonly session: SessionChoice | null
  /** Answers the questions of tools and of the approval gate. */
  readonly ask: QuestionHandler
  /** Called before anything can ask: an MCP server that is started for the first time may need a key. */
  readonly onRuntime?: ((started: Pick<OpenedAgent, 'runtime' | 'config'>) => void) | undefined
  /** The number of finished calls that can be looked at. @default that of the runtime */
  readonly keepFinished?: number | undefined
  /** Whether a person can be asked. */
  readonly attended: boolean
  /** Shows what the run waits for. Returns a function that ends it. */
  readonly track: (what: string) => () => void
  /** Records the calls. The program closes it after the agent. */
  readonly recorder: Recorder
  /** The person has quit: what was started is closed, and opening the agent fails. */
  readonly signal?: AbortSignal | undefined
  /** What commands can do in this program besides what every agent can. */
  readonly host?: Partial<CommandHost> | undefined
}

/** Everything that is needed to talk to an agent, in a terminal or without one. */
export interface OpenedAgent {
  readonly agent: Agent
  readonly runtime: Runtime
  readonly workspace: Workspace
  /** Whose conversations are listed together. */
  readonly projectFolder: string
  readonly config: Config
  readonly commands: SlashCommands
  /** For `@path`, `@glob`, `@url` and `@server:uri`. */
  readonly resolvers: MentionResolvers
  readonly session: Session | null
  /** `provider:name`; `null` if there is no model. */
  model(): string | null
  /** Why there is no model; `null` if there is one. Commands work without it. */
  modelProblem(): unknown
  readonly modelWatch: ModelWatch
  /** In milliseconds. */
  readonly modelTimeouts: Config['agent']['modelTimeouts']
  readonly problems: WithServerTools['problems']
  /** Cancels everything, stops the servers, and saves the session. */
  close(): Promise<void>
}

/** Servers that have never run are waited for this long; the others start with the first call to one of their tools. */
const discoveryLimit = { ms: 8_000, remember: true }

/** Loads the tools that are configured for this directory, and opens an agent with them. */
export async function openAgent(options: OpenAgentOptions): Promise<OpenedAgent> {
  const { command, cwd } = options
  options.signal?.throwIfAborted()
  const { commandTools = true } = options
  const configured = await loadTools(command, options.set, () => commandTools, { cwd })
  rejectNesting(options.command, configured.options)
  const deadline = outerDeadline(configured.config)
  const { projectFolder } = configured.roots
  const sessionId =
    options.session === null ? null : await chooseSession(options.session, stateHome(), projectFolder)
  void removeOldResults().catch(() => {})
  const closed = new AbortController()
  const vault = openVault(secretOptions(closed.signal))
  const recorded = options.recorder.open(configured.config, options.notify).connect(({ level, message }) => {
    if (level === 'error') options.notify(message)
  })
  const runtime = createRuntime({
    spillDirectory: resultsFolder(findWorkspaceRoot(options.cwd)),
    ...withAllowRules(configured.options, options.allow),
    vault,
    keepFinished: options.keepFinished,
    log: recorded.log,
  })
  const current: { session: Session | null } = { session: null }
  const session = (): string | null => current.session?.id ?? null
  recorded.attach(runtime, { session })
  runtime.onQuestion(options.ask)
  options.onRuntime?.({ runtime, config: configured.config })
  const closing: (() => Promise<unknown>)[] = [() => runtime.close()]
  const close = async (): Promise<void> => {
    closed.abort()
    // One that fails must not keep the others from closing.
    for (const step of closing.splice(0).reverse()) await step().catch(() => {})
    await telemetry?.flush()
  }
  let telemetry: Telemetry | null = null
  try {
    const { outer } = configured.options
    telemetry = await startTelemetry({ runtime, outer, session, warn: options.notify })
    const isListed = options.track('the MCP servers')
    const servers = await addServerTools(options.command, configured, undefined, runtime, discoveryLimit, {
      added: options.servers,
      cwd: options.cwd,
      signal: options.signal,
    })
    isListed()
    closing.unshift(servers.close)
    options.signal?.throwIfAborted()
    const models = new ChildModels()
    const { config } = configured
    const { attended, addedFolders, editor, notify } = options
    const system = systemPrompt({ folder: findWorkspaceRoot(cwd), now: new Date(), attended })
    const built = await agentTools({
      config,
      runtime,
      vault,
      models,
      system,
      cwd,
      addedFolders,
      editor,
      notify,
      turnMiddleware: telemetry.turnMiddleware,
    })
    closing.unshift(async () => {
      const isChecked = options.track('the check of the workspace after a command')
      await sandboxChecks(built.workspace).finally(isChecked)
    })
    const configuredTools = servers.tools
      .filter(({ name }) => config.sandbox === 'none' || !runsPrograms(name))
      .map((tool) => (runsPrograms(tool.name) ? restrictProgramTool(tool, built.workspace) : tool))
    runtime.register(configuredTools)
    runtime.register(built.tools)
    const names = [...configuredTools, ...built.tools].map(({ name }) => name)
    for (const warning of unmatchedRules(options.allow, names)) options.notify(warning)
    const isOpen = options.track('the key of the model and the saved conversation')
    const opened = await withModel(options, {
      sessionId,
      current,
      runtime,
      telemetry,
      servers,
      built,
      vault,
      models,
      system,
      deadline,
      closing,
      close,
    })
    isOpen()
    return opened
  } catch (error) {
    await close()
    throw error
  }
}

/** `timeout` and `nice` run any command, too, and outside of the sandbox. There is `run_command` for that. */
function runsPrograms(tool: string): boolean {
  return tool === timeoutTool.name || tool === niceTool.name
}

interface Opened {
  /** The session to continue; `null` for a new one. */
  readonly sessionId: string | null
  /** The session that calls belong to, as soon as it is open. */
  readonly current: { session: Session | null }
  readonly runtime: Runtime
  readonly telemetry: Telemetry
  readonly servers: WithServerTools
  readonly built: AgentTools
  readonly vault: ReturnType<typeof openVault>
  readonly models: ChildModels
  readonly system: string
  readonly deadline: AgentOptions['deadline']
  /** The last one is called first. */
  readonly closing: (() => Promise<unknown>)[]
  readonly close: () => Promise<void>
}

async function withModel(options: OpenAgentOptions, opened: Opened): Promise<OpenedAgent> {
  const { runtime, telemetry, servers, built, vault, models: children, system, closing, close } = opened
  const { workspace } = built
  const { roots, config } = servers
  const open = (name: string | undefined, last?: string): Promise<OpenedModel> =>
    openModel({ name, last, settings: config.models, vault, hideSecret: runtime.hideSecret })
  const resumed = opened.sessionId === null ? null : await saveSession(options, opened, '')
  let problem: unknown = null
  const found = await open(options.model, resumed?.lastModel).catch((error: unknown) => {
    problem = asUsage(error)
    return null
  })
  for (const warning of found?.warnings ?? []) options.notify(`warning: ${warning}`)
  const saved = resumed ?? (await saveSession(options, opened, found?.name ?? 'none'))
  opened.current.session = saved?.session ?? null
  if (saved !== null) closing.unshift(() => saved.session.close())
  const { model: first, fallback } = firstModel(options.model, found, saved)
  if (saved !== null && first !== undefined && saved.lastModel !== nameOfModel(first))
    saved.session.append({ type: 'model', model: nameOfModel(first) })
  const checkpoints = config.agent.checkpoints
    ? openCheckpoints(workspace, saved?.session ?? null, options.notify)
    : null
  if (checkpoints !== null) closing.unshift(() => checkpoints.checkpoints.close())
  const modelWatch = new ModelWatch()
  const observed = (model: LanguageModelV4): LanguageModelV4 => modelWatch.wrap(telemetry.traceModel(model))
  const { modelTimeouts } = config.agent
  const agent = createAgent({
    ...resumeOptions(saved),
    name: 'curfew',
    model: children.add(observed(first ?? unavailableModel(problem))),
    fallback: fallback && children.add(observed(fallback)),
    runtime,
    system: () => [system, built.instructions()].filter((text) => text !== '').join('\n\n'),
    deadline: opened.deadline,
    // Long results must be readable when the conversation is resumed.
    conversation: { keepFiles: true },
    mode: options.mode,
    limits: { continuations: config.options.limits?.continuations, model: modelTimeouts },
    budget: found === null ? undefined : pricedBudget(config, found),
    prices: found?.prices,
    contextWindow: found?.contextWindowOf,
    checkpoints: checkpoints?.checkpoints,
    turnMiddleware: telemetry.turnMiddleware,
    log: ({ message, error }) =>
      options.notify(error === undefined ? message : `${message}: ${messageOf(error)}`),
  })
  closing.push(() => agent.close())
  children.attach({ agent, open: async (name) => observed((await open(name)).model) })
  const model = (): string | null => (problem === null ? agent.getSnapshot().model : null)
  const models = modelHost(config.models, model, async (name) => {
    const { model, warnings } = await open(name)
    for (const warning of warnings) options.notify(`warning: ${warning}`)
    agent.setModel(children.add(observed(model)))
    problem = null
  })
  const mcp = await openMcp(options, opened)
  const { commands: own, problems } = await loadUserCommands(commandRoots(roots))
  for (const { severity, file, line, message } of problems)
    options.notify(`${severity}: ${file}${line === null ? '' : `:${line}`}: ${message}`)
  return {
    agent,
    runtime,
    workspace,
    projectFolder: roots.projectFolder,
    config,
    commands: createCommands(
      {
        runtime,
        agent,
        mcp,
        memory: built.memory,
        models,
        compact: compactHost(agent),
        shell: { tool: 'run_command', params: (command) => ({ command }) },
        checkpoints: checkpoints === null ? undefined : checkpointHost(checkpoints, agent, runtime),
        review: reviewHost(servers),
        init: initHost,
        log: logHost({
          project: roots.projectFolder,
          session: () => saved?.session.id ?? null,
          flush: async () => options.recorder.open(config, options.notify).journal?.flush(),
        }),
        placeOf: placeIn(config.settings),
        mentions: '@path, @glob, @url, @server:uri',
        completePath: (typed) => completePath(typed, options.cwd, workspace),
        ...options.host,
      },
      own,
    ),
    resolvers: {
      ...fileResolvers({ agent, workspace, folder: options.cwd }),
      resource: resourceResolver(mcp),
      url: urlResolver(agent),
    },
    session: saved?.session ?? null,
    model,
    modelProblem: () => problem,
    modelWatch,
    modelTimeouts,
    problems: servers.problems,
    close,
  }
}

/** If another process started this one, the answer has to be ready before its call ends. */
function outerDeadline({ options: { outer } }: Config): AgentOptions['deadline'] {
  const { remainingMs: limitMs } = outer ?? {}
  if (limitMs === undefined) return undefined
  const endsAt = performance.now() + limitMs
  return {
    get remainingMs() {
      return Math.max(0, endsAt - performance.now())
    },
  }
}

/** A model that does not exist is a mistake on the command line or in the configuration. */
function asUsage(error: unknown): unknown {
  if (!(error instanceof CurfewError) || error.code !== 'INVALID_OPTION') return error
  return new UsageError(`curfew: ${error.message}`, { cause: error })
}

/** What a resumed conversation continues from. */
function resumeOptions(
  saved: OpenedSession | null,
): Pick<AgentOptions, 'session' | 'history' | 'counts' | 'loaded'> {
  const { items, counts, loaded } = saved?.history ?? {}
  return { session: saved?.session, history: items, counts, loaded }
}

async function saveSession(
  { session, notify }: OpenAgentOptions,
  { sessionId, runtime, servers }: Opened,
  model: string,
): Promise<OpenedSession | null> {
  if (session === null) return null
  const project = servers.roots.projectFolder
  const opened = await startOrResume({ id: sessionId, project, model, redact: runtime.redact, notify })
  // After this session has been locked, so that it is not removed.
  void removeOldSessions({ folder: stateHome() }).catch(() => {})
  return opened
}

async function openMcp({ track }: OpenAgentOptions, { servers, vault }: Opened): Promise<McpHost> {
  const { upstreams, problems } = servers
  if (upstreams.length === 0) return noMcpServers
  const { mcpHost } = await import('./mcp-host.ts')
  // Prompts are commands, and an unknown command is an error.
  const isListed = track('the prompts of the MCP servers')
  const listed = Promise.all(upstreams.map(({ otherLists }) => otherLists))
  await Promise.race([listed, delay(discoveryLimit.ms, undefined, { ref: false })])
  isListed()
  return mcpHost({ upstreams, vault, problems, track })
}
