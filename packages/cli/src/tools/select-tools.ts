import type { Tool } from '@curfew/core'
import { formatProblem, matchGlob } from '@curfew/core/adapter'
import { nearestName } from '@curfew/core/did-you-mean'
import { UsageError } from '../command.ts'
import type { ConfiguredTools } from './load-tools.ts'
import { serverOf } from './server-of.ts'

/** Those whose name is this, or matches the glob, or contains it in any case. Throws `UsageError` if there is none. */
export function selectTools(
  { tools, options, problems }: Pick<ConfiguredTools, 'tools' | 'options' | 'problems'>,
  filter: string,
): readonly Tool[] {
  const exact = tools.filter(({ name }) => name === filter)
  if (exact.length > 0) return exact
  const wanted = filter.toLowerCase()
  const selected = tools.filter(({ name }) =>
    /[*?]/.test(filter) ? matchGlob(filter, name) : name.toLowerCase().includes(wanted),
  )
  if (selected.length > 0) return selected
  throw new UsageError(`curfew tools: ${whyNone(filter, { tools, options, problems })}`)
}

function whyNone(
  filter: string,
  { tools, options, problems }: Pick<ConfiguredTools, 'tools' | 'options' | 'problems'>,
): string {
  const why = options.missingTools?.get(filter)
  if (why !== undefined) return `${filter} could not be loaded: ${why}`
  const server = serverOf(filter)
  const ofServer = problems.find(({ field }) => server !== null && field === `mcpServers.${server}`)
  if (ofServer !== undefined) return `no tool matches ${JSON.stringify(filter)}: ${formatProblem(ofServer)}`
  const names = [...tools.map(({ name }) => name), ...(options.missingTools?.keys() ?? [])]
  return `no tool matches ${JSON.stringify(filter)}; ${suggestion(filter, names)}`
}

/** People leave out the prefix, which is the same for many. */
function suggestion(filter: string, names: readonly string[]): string {
  const ownName = (name: string): string => name.replace(/^(?:mcp__.+?__|script_|api_)/, '')
  const near = nearestName(filter, names) ?? nearestName(filter, names.map(ownName))
  const meant = names.find((name) => name === near || ownName(name) === near)
  return meant === undefined ? 'curfew tools lists them all' : `did you mean "${meant}"?`
}
