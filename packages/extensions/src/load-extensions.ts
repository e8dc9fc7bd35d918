import { toolUse } from '@curfew/core/internal'
import { loadApis } from './api/load-apis.ts'
import type { ConfigOptions } from './config/config-options.ts'
import { type ConfigProblem, configError } from './config/config-problem.ts'
import type { ConfigRoots, ConfigContext } from './config/config-roots.ts'
import { type Config, loadConfig } from './config/load-config.ts'
import type { LoadedTool, MissingTool } from './config/loaded-tools.ts'
import { joinAllowed } from './join-allowed.ts'
import { loadScripts } from './script/load-scripts.ts'

export interface Extensions {
  readonly roots: ConfigRoots
  /** The user's tools, and those of the project if it is trusted; of two with one name, the project's. */
  readonly tools: readonly LoadedTool[]
  /** What the tools' files allow by themselves; `options` has it too. */
  readonly allow: readonly string[]
  /** For `createRuntime`: the configuration, what the tools' files allow, and why some tools are missing. */
  readonly options: ConfigOptions
  readonly config: Config
  /** Those of the configuration too. */
  readonly problems: readonly ConfigProblem[]
}

/** The tools that are described in files, and the configuration to run them with. Never rejects because of a file. */
export async function loadExtensions(
  surroundings: ConfigContext = {},
  flags: readonly string[] = [],
): Promise<Extensions> {
  const config = await loadConfig(surroundings, flags)
  const { roots } = config
  const { project } = roots
  const problems: ConfigProblem[] = [...config.problems]
  const byName = new Map<string, LoadedTool>()
  const missing: MissingTool[] = []
  for (const root of [roots.user, ...(project?.trusted ? [project.path] : [])]) {
    const loaded = await Promise.all([loadScripts(root), loadApis(root)])
    problems.push(...loaded.flatMap((part) => part.problems))
    missing.push(...loaded.flatMap((part) => part.missing))
    const inThisRoot = new Map<string, LoadedTool>()
    for (const tool of loaded.flatMap(({ tools }) => tools)) {
      const other = inThisRoot.get(tool.tool.name)
      if (other === undefined) inThisRoot.set(tool.tool.name, tool)
      else
        problems.push(
          configError(tool.file, 'name', `${tool.tool.name} is described in ${other.file} already`),
        )
    }
    const isProject = root !== roots.user
    for (const [name, tool] of inThisRoot) byName.set(name, isProject ? ofProject(tool, root) : tool)
  }
  const tools = [...byName.values()]
  const { allow, options, refused } = joinAllowed(tools, config)
  const missingTools = new Map(missing.map(({ name, why }) => [name, why]))
  return {
    roots,
    tools,
    allow,
    options: { ...options, missingTools },
    config,
    problems: [...problems, ...refused],
  }
}

/** Another project, or the user, may have a tool of this name: it does not inherit the secrets of that one. */
function ofProject(loaded: LoadedTool, root: string): LoadedTool {
  const { name, secretUse } = loaded.tool
  if (secretUse !== toolUse(name, null)) return loaded
  return { ...loaded, tool: { ...loaded.tool, secretUse: toolUse(name, root) } }
}
