import { toolUse } from '@curfew/core/internal'
import { loadApis } from './api/load-apis.ts'
import { applyAllowance } from './apply-allowance.ts'
import type { ConfigOptions } from './config/config-options.ts'
import { type ConfigProblem, configError } from './config/config-problem.ts'
import type { ConfigContext, ConfigRoots } from './config/config-roots.ts'
import { type Config, loadConfig } from './config/load-config.ts'
import type { LoadedTool, MissingTool } from './config/loaded-tools.ts'
import { loadScripts } from './script/load-scripts.ts'

export interface Extensions {
  readonly roots: ConfigRoots
  /** The user's tools, and the project's if it is trusted. The project's tool replaces a user's tool of the same name. */
  readonly tools: readonly LoadedTool[]
  /** The tools that are allowed by `always_allow`; `options` includes them. */
  readonly allow: readonly string[]
  /** For `createRuntime`: the configuration, the allow rules of tool files, and why some tools are missing. */
  readonly options: ConfigOptions
  readonly config: Config
  /** Includes those of the configuration. */
  readonly problems: readonly ConfigProblem[]
}

/** Loads script and API tools together with the configuration. Never rejects because of an invalid file: see `problems`. */
export async function loadExtensions(
  context: ConfigContext = {},
  flags: readonly string[] = [],
): Promise<Extensions> {
  const config = await loadConfig(context, flags)
  const { roots } = config
  const { project } = roots
  const problems: ConfigProblem[] = [...config.problems]
  const byName = new Map<string, LoadedTool>()
  const missing: MissingTool[] = []
  for (const root of [roots.user, ...(project?.trusted ? [project.path] : [])]) {
    const loaded = await Promise.all([loadScripts(root, context.cwd), loadApis(root)])
    problems.push(...loaded.flatMap((part) => part.problems))
    missing.push(...loaded.flatMap((part) => part.missing))
    const inThisRoot = new Map<string, LoadedTool>()
    for (const tool of loaded.flatMap(({ tools }) => tools)) {
      const other = inThisRoot.get(tool.tool.name)
      if (other === undefined) inThisRoot.set(tool.tool.name, tool)
      else
        problems.push(configError(tool.file, 'name', `${tool.tool.name} is already defined in ${other.file}`))
    }
    const isProject = root !== roots.user
    for (const [name, tool] of inThisRoot) byName.set(name, isProject ? bindToProject(tool, root) : tool)
  }
  const { tools, allow, options, ignored } = applyAllowance([...byName.values()], config)
  const missingTools = new Map(missing.map(({ name, reason }) => [name, reason]))
  return {
    roots,
    tools,
    allow,
    options: { ...options, missingTools },
    config,
    problems: [...problems, ...ignored],
  }
}

/** A tool of the same name in another project, or of the user, must not share its secrets. */
function bindToProject(loaded: LoadedTool, root: string): LoadedTool {
  const { name, secretUse } = loaded.tool
  if (secretUse !== toolUse(name, null)) return loaded
  return { ...loaded, tool: { ...loaded.tool, secretUse: toolUse(name, root) } }
}
