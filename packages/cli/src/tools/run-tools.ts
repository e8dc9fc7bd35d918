import type { Tool } from '@curfew/core'
import {
  matchGlob,
  nearestName,
  resolveToolTimeout,
  toolSettings,
  toolView,
  type View,
} from '@curfew/core/internal'
import { formatProblem } from '@curfew/extensions'
import { UsageError } from '../command.ts'
import { problemLine, reportProblems } from '../report-problems.ts'
import { terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { addServerTools, type ConfiguredTools, loadTools, type WithServerTools } from './load-tools.ts'
import { serverOf } from './server-of.ts'
import { showAsModel, showTool, toolTable } from './show-tool.ts'
import { toolOverrides } from './tool-flags.ts'

/** How long a list waits for a server that has never run. */
const discoveryLimit = { ms: 3_000, remember: true }

interface ToolsInput {
  readonly filter: string | undefined
  readonly view: View | undefined
  readonly set: readonly string[]
  readonly json: boolean
}

/** `curfew tools`. Returns the exit code. */
export async function runTools({ filter, view, set, json }: ToolsInput): Promise<number> {
  const configured = await load(filter, set)
  try {
    const selected = filter === undefined ? configured.tools : selectTools(configured.tools, filter)
    if (filter !== undefined && selected.length === 0) throw noMatch(configured, filter)
    const columns = terminalWidth(process.stdout)
    if (json) write(`${JSON.stringify(toJson(selected, configured, view))}\n`)
    else if (view !== undefined) write(selected.map((tool) => showAsModel(tool, view, columns)).join(''))
    else if (selected[0]?.name === filter) write(showTool(selected[0]!, configured, columns))
    else write(toolTable(selected, configured, columns))
    reportProblems(problemsAbout(selected, filter, configured))
    return 0
  } finally {
    // Stopping a server can take a while, so this comes after the output.
    await configured.close?.()
  }
}

type Loaded = ConfiguredTools & Partial<Pick<WithServerTools, 'close'>>

/** The tools with their settings, as a runtime uses them. */
async function load(filter: string | undefined, set: readonly string[]): Promise<Loaded> {
  const loaded = await loadMatching(filter, set)
  return { ...loaded, tools: loaded.tools.map(toolSettings(loaded.options.tools).effective) }
}

/** Servers are started only if the filter can match one of their tools. */
async function loadMatching(filter: string | undefined, set: readonly string[]): Promise<Loaded> {
  const configured = await loadTools('tools', set)
  if (configured.tools.some(({ name }) => name === filter)) return configured
  const server = filter === undefined ? null : serverOf(filter)
  return await addServerTools('tools', configured, server ?? undefined, undefined, discoveryLimit)
}

/** For a single tool, only its own problems; for a filter, not those of servers that it cannot match. */
function problemsAbout(
  selected: readonly Tool[],
  filter: string | undefined,
  { files, problems }: ConfiguredTools,
): ConfiguredTools['problems'] {
  if (filter === undefined) return problems
  const [only] = selected
  if (only?.name === filter) return problems.filter(({ file }) => file === files.get(only.name))
  const servers = new Set(selected.map(({ server }) => server))
  return problems.filter(({ field }) => {
    const server = /^mcpServers\.([^.]+)/.exec(field ?? '')?.[1]
    return server === undefined || servers.has(server) || canMatch(filter, `mcp__${server}__`)
  })
}

/** Can the filter match names with this prefix? */
function canMatch(filter: string, prefix: string): boolean {
  const [literal = ''] = filter.split(/[*?]/)
  if (literal === filter) return prefix.toLowerCase().includes(filter.toLowerCase())
  return prefix.startsWith(literal) || literal.startsWith(prefix)
}

function toJson(
  tools: readonly Tool[],
  { files, allow, options, config, problems }: ConfiguredTools,
  view: View | undefined,
): object {
  if (view !== undefined) return { view, tools: tools.map((tool) => toolView(tool, view)), problems }
  return {
    tools: tools.map((tool) => {
      const { name, description, adapter, readOnly, concurrent, alwaysLoad, idempotent, destructive } = tool
      const timeout = resolveToolTimeout(options, tool)
      return {
        name,
        description,
        adapter,
        server: tool.server ?? null,
        readOnly,
        concurrent,
        alwaysLoad,
        idempotent,
        destructive,
        openWorld: tool.openWorld,
        alwaysAllow: allow.includes(name),
        // `null` where it depends on the call.
        timeoutMs: timeout.timeoutMs,
        timeoutSource: timeout.source,
        idleTimeoutMs: tool.idleTimeoutMs,
        // Those of `tools` in the configuration, with the file that sets them.
        settings: toolOverrides(tool, config).map(({ kind: _, ...setting }) => setting),
        parameters: tool.schema.jsonSchema,
        secrets: tool.secrets,
        file: files.get(name) ?? null,
      }
    }),
    problems,
  }
}

/** Tools with exactly this name; otherwise those that match the glob, or whose name contains it, ignoring case. */
function selectTools(tools: readonly Tool[], filter: string): readonly Tool[] {
  const exact = tools.filter(({ name }) => name === filter)
  if (exact.length > 0) return exact
  const wanted = filter.toLowerCase()
  return tools.filter(({ name }) =>
    /[*?]/.test(filter) ? matchGlob(filter, name) : name.toLowerCase().includes(wanted),
  )
}

/** Explains why nothing matches, with the problems that may be the reason. */
function noMatch({ tools, options, problems }: ConfiguredTools, filter: string): UsageError {
  const error = (message: string): UsageError => new UsageError(`curfew tools: ${message}`)
  const reason = options.missingTools?.get(filter)
  if (reason !== undefined) return error(`${filter} could not be loaded: ${reason}`)
  const message = `no tool matches ${JSON.stringify(filter)}`
  const server = serverOf(filter)
  const ofServer = problems.find(({ field }) => server !== null && field === `mcpServers.${server}`)
  if (ofServer !== undefined) return error(`${message}: ${formatProblem(ofServer)}`)
  const names = [...tools.map(({ name }) => name), ...(options.missingTools?.keys() ?? [])]
  return error([`${message}; ${suggestion(filter, names)}`, ...problems.map(problemLine)].join('\n'))
}

/** The prefix of a tool's name is often left out. */
function suggestion(filter: string, names: readonly string[]): string {
  const withoutPrefix = (name: string): string => name.replace(/^(?:mcp__.+?__|script_|api_)/, '')
  const match = nearestName(filter, names) ?? nearestName(filter, names.map(withoutPrefix))
  const nearest = names.find((name) => name === match || withoutPrefix(name) === match)
  return nearest === undefined ? 'curfew tools lists all tools' : `did you mean "${nearest}"?`
}
