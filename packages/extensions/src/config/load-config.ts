import { join, resolve } from 'node:path'
import { type AgentSettings, toAgentSettings } from './agent-settings.ts'
import { approvalsFile } from './approvals-file.ts'
import { checkConfig } from './check-config.ts'
import type { ConfigLayer, ConfiguredValue } from './config-layer.ts'
import {
  builtinsKey,
  type ConfigOptions,
  type EffectiveSetting,
  toOptions,
  toSettings,
} from './config-options.ts'
import { type ConfigProblem, configWarning } from './config-problem.ts'
import { type ConfigContext, type ConfigRoots, configRoots } from './config-roots.ts'
import { type Layers, mergeConfig } from './merge-config.ts'
import { type ModelSettings, toModelSettings } from './model-settings.ts'
import { type ProfileSettings, toProfiles } from './profile-settings.ts'
import { ProjectApprovals } from './project-approvals.ts'
import { readFlags } from './read-flags.ts'
import { readJsonFile } from './read-json-file.ts'
import { readOuterCall } from './read-outer-call.ts'
import { readSubagentLimit, readVariables } from './read-variables.ts'
import { type RecordingSettings, toRecordingSettings } from './recording-settings.ts'
import { type SandboxSetting, toSandbox } from './sandbox-setting.ts'
import { contentHash } from './trusted-files.ts'
import { toUiSettings, type UiSettings } from './ui-settings.ts'

export interface Config {
  readonly roots: ConfigRoots
  /** For `createRuntime`. Includes the remembered answers of this project, and functions that store and remove them. */
  readonly options: ConfigOptions
  /** Whether `curfew mcp` serves the tools that run commands. */
  readonly builtins: boolean
  /** Parts of what `curfew mcp` serves, by name. */
  readonly profiles: ReadonlyMap<string, ProfileSettings>
  /** The models of the agent, and their settings. */
  readonly models: ModelSettings
  /** What the agent may use. */
  readonly agent: AgentSettings
  /** Patterns, as in `.gitignore`, of files that the agent neither reads nor changes. */
  readonly secretFiles: readonly string[]
  /** What commands of the agent can reach. */
  readonly sandbox: SandboxSetting
  /** How the terminal looks. */
  readonly ui: UiSettings
  /** What is recorded about calls. */
  readonly recording: RecordingSettings
  /** Every setting with its effective value. */
  readonly settings: readonly EffectiveSetting[]
  /** What each source sets. */
  readonly layers: Layers
  readonly problems: readonly ConfigProblem[]
}

/**
 * Loads the configuration: defaults < the user's config.json < the project's, if it is trusted < environment < flags (`KEY=VALUE`).
 * Never rejects because of invalid settings: they are in `problems`.
 */
export async function loadConfig(
  context: ConfigContext = {},
  flags: readonly string[] = [],
): Promise<Config> {
  const { cwd = process.cwd(), env = process.env } = context
  const roots = configRoots(context)
  const { project: projectRoot } = roots
  const [user, project] = await Promise.all([
    readLayer(roots.user, 'user'),
    projectRoot?.trusted ? readLayer(projectRoot.path, 'project') : emptyLayer,
  ])
  const environment = resolvePaths(cwd, readVariables(env))
  const layers = { user, project, environment, flags: resolvePaths(cwd, readFlags(flags)) }
  const merged = mergeConfig(layers)
  const { outer, problems: outerProblems } = readOuterCall(env)
  const approvals = new ProjectApprovals(approvalsFile(roots.user), roots.projectFolder)
  return {
    roots: { ...roots, projectAllowIgnored: merged.projectAllowIgnored },
    options: { ...approvals.addTo(toOptions(merged)), ...(outer !== undefined && { outer }) },
    builtins: merged.values.get(builtinsKey)?.value === true,
    profiles: toProfiles(merged.values, [user, environment, layers.flags]),
    models: toModelSettings(merged.values, layers),
    agent: toAgentSettings(merged.values, readSubagentLimit(env)),
    secretFiles: merged.secretFiles.flatMap(({ value }) => value),
    sandbox: toSandbox(merged.values, layers),
    ui: toUiSettings(merged.values),
    recording: toRecordingSettings(merged.values),
    settings: toSettings(merged),
    layers,
    problems: [
      ...roots.problems,
      ...Object.values(layers).flatMap(({ problems }) => problems),
      ...merged.problems,
      ...outerProblems,
      ...approvals.problems,
      ...(projectRoot !== null && !projectRoot.trusted ? [untrusted(projectRoot.path)] : []),
    ],
  }
}

export const emptyLayer: ConfigLayer = { values: new Map(), problems: [] }

export async function readLayer(root: string, source: 'user' | 'project'): Promise<ConfigLayer> {
  return (await readLayerFile(root, source)).layer
}

export const configFileName = 'config.json'

/** `hash` is that of the file's content; `null` if it has none that can be read. */
export async function readLayerFile(
  root: string,
  source: 'user' | 'project',
): Promise<{ readonly layer: ConfigLayer; readonly hash: string | null }> {
  const file = join(root, configFileName)
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return { layer: emptyLayer, hash: null }
  if (read.kind === 'problem') return { layer: { ...emptyLayer, problems: [read.problem] }, hash: null }
  const layer = toLayer(read.value, file, source)
  const problems = [...read.problems, ...layer.problems]
  return { layer: resolvePaths(root, { ...layer, problems }), hash: contentHash(read.value) }
}

/** The content of a file as a layer. */
export function toLayer(document: unknown, file: string, source: 'user' | 'project'): ConfigLayer {
  const { values, problems } = checkConfig(document, file)
  const configured = [...values].map(([key, value]): [string, ConfiguredValue] => [
    key,
    { value, source, file },
  ])
  return { values: new Map(configured), problems }
}

/** Relative paths are relative to the folder of their file, or to the working directory. */
function resolvePaths(folder: string, layer: ConfigLayer): ConfigLayer {
  const configured = layer.values.get('spillDirectory')
  if (configured === undefined) return layer
  const value = resolve(folder, String(configured.value))
  return { ...layer, values: new Map([...layer.values, ['spillDirectory', { ...configured, value }]]) }
}

function untrusted(path: string): ConfigProblem {
  const message = 'is ignored because its files can run commands; review them, then run: curfew trust'
  return configWarning(path, null, message)
}
