import { loadApis } from '../api/load-apis.ts'
import { type ConfigProblem, configError } from '../config/config-problem.ts'
import { type ConfigRoots, configRoots, type Surroundings } from '../config/config-roots.ts'
import { type LoadedTool, loadScripts } from '../script/load-scripts.ts'

export interface Extensions {
  readonly roots: ConfigRoots
  /** The user's tools, and those of the project if it is trusted; of two with one name, the project's. */
  readonly tools: readonly LoadedTool[]
  /** What the files allow by themselves, for `approval.rules.allow`. */
  readonly allow: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/** The tools that are described in files. Never rejects because of a file. */
export async function loadExtensions(surroundings: Surroundings = {}): Promise<Extensions> {
  const roots = configRoots(surroundings)
  const { project } = roots
  const problems: ConfigProblem[] = []
  const byName = new Map<string, LoadedTool>()
  for (const root of [roots.user, ...(project?.trusted ? [project.path] : [])]) {
    const loaded = await Promise.all([loadScripts(root), loadApis(root)])
    problems.push(...loaded.flatMap((part) => part.problems))
    const inThisRoot = new Map<string, LoadedTool>()
    for (const tool of loaded.flatMap(({ tools }) => tools)) {
      const other = inThisRoot.get(tool.tool.name)
      if (other === undefined) inThisRoot.set(tool.tool.name, tool)
      else
        problems.push(
          configError(tool.file, 'name', `${tool.tool.name} is described in ${other.file} already`),
        )
    }
    for (const [name, tool] of inThisRoot) byName.set(name, tool)
  }
  if (project !== null && !project.trusted) problems.push(untrusted(project.path))
  const tools = [...byName.values()]
  return {
    roots,
    tools,
    allow: tools.filter(({ alwaysAllow }) => alwaysAllow).map(({ tool }) => tool.name),
    problems,
  }
}

function untrusted(path: string): ConfigProblem {
  const message = 'is ignored: its files can run commands. Look at them, then run: curfew trust'
  return { severity: 'warning', file: path, field: null, message }
}
