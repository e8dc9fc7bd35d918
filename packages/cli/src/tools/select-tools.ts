import type { Tool } from '@curfew/core'
import { matchGlob, nearestName } from '@curfew/core/internal'
import { formatProblem } from '@curfew/extensions'
import { UsageError } from '../command.ts'
import { problemLine } from '../report-problems.ts'
import type { ConfiguredTools } from './load-tools.ts'
import { serverOf } from './server-of.ts'

/** Those whose name is this, or matches the glob, or contains it in any case. */
export function selectTools(tools: readonly Tool[], filter: string): readonly Tool[] {
  const exact = tools.filter(({ name }) => name === filter)
  if (exact.length > 0) return exact
  const wanted = filter.toLowerCase()
  return tools.filter(({ name }) =>
    /[*?]/.test(filter) ? matchGlob(filter, name) : name.toLowerCase().includes(wanted),
  )
}

/** Why there is none, with the problems that may be the reason. */
export function nothingSelected({ tools, options, problems }: ConfiguredTools, filter: string): UsageError {
  const say = (why: string): UsageError => new UsageError(`curfew tools: ${why}`)
  const why = options.missingTools?.get(filter)
  if (why !== undefined) return say(`${filter} could not be loaded: ${why}`)
  const none = `no tool matches ${JSON.stringify(filter)}`
  const server = serverOf(filter)
  const ofServer = problems.find(({ field }) => server !== null && field === `mcpServers.${server}`)
  if (ofServer !== undefined) return say(`${none}: ${formatProblem(ofServer)}`)
  const names = [...tools.map(({ name }) => name), ...(options.missingTools?.keys() ?? [])]
  return say([`${none}; ${suggestion(filter, names)}`, ...problems.map(problemLine)].join('\n'))
}

/** People leave out the prefix, which is the same for many. */
function suggestion(filter: string, names: readonly string[]): string {
  const ownName = (name: string): string => name.replace(/^(?:mcp__.+?__|script_|api_)/, '')
  const near = nearestName(filter, names) ?? nearestName(filter, names.map(ownName))
  const meant = names.find((name) => name === near || ownName(name) === near)
  return meant === undefined ? 'curfew tools lists them all' : `did you mean "${meant}"?`
}
