import type { Tool } from '@curfew/core'
import { matchGlob, nearestName } from '@curfew/core/internal'
import { formatProblem } from '@curfew/extensions'
import { UsageError } from '../command.ts'
import { problemLine } from '../report-problems.ts'
import type { ConfiguredTools } from './load-tools.ts'
import { serverOf } from './server-of.ts'

/** Tools with exactly this name; otherwise those that match the glob, or whose name contains it, ignoring case. */
export function selectTools(tools: readonly Tool[], filter: string): readonly Tool[] {
  const exact = tools.filter(({ name }) => name === filter)
  if (exact.length > 0) return exact
  const wanted = filter.toLowerCase()
  return tools.filter(({ name }) =>
    /[*?]/.test(filter) ? matchGlob(filter, name) : name.toLowerCase().includes(wanted),
  )
}

/** Explains why nothing matches, with the problems that may be the reason. */
export function noMatch({ tools, options, problems }: ConfiguredTools, filter: string): UsageError {
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
