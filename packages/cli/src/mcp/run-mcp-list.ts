import { styleText } from 'node:util'
import { type Upstream, upstreamTools } from '@curfew/mcp'
import { reportProblems } from '../report-problems.ts'
import { shortPath } from '../short-path.ts'
import { alignColumns, foldTo, hang, oneLine, terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { noServers, type OpenServers, openServers } from './open-servers.ts'

/** `curfew mcp list`. Returns the exit code. */
export async function runMcpList(json: boolean): Promise<number> {
  const servers = await openServers('mcp list')
  if (json) write(`${JSON.stringify(toJson(servers))}\n`)
  else write(table(servers))
  reportProblems(servers.problems)
  return 0
}

function toJson({ upstreams, disabled, problems }: OpenServers): object {
  const servers = upstreams.map((upstream) => {
    const { config, listing } = upstream
    const { name, file, target, trust, eager } = config
    return {
      name,
      kind: target.kind,
      file,
      disabled: false,
      trust,
      eager,
      protocolVersion: listing?.protocolVersion ?? null,
      server: listing?.server ?? null,
      tools: listing === null ? null : listing.tools.length,
      servedTools: listing === null ? null : upstreamTools(upstream).length,
      changed: changedNames(upstream),
    }
  })
  return { servers: [...servers, ...disabled.map((server) => ({ ...server, disabled: true }))], problems }
}

function table({ upstreams, disabled, problems }: OpenServers): string {
  const columns = terminalWidth(process.stdout)
  if (upstreams.length + disabled.length === 0) return `${foldTo(columns, noServers(problems))}\n`
  const rows = [
    ...upstreams.map((upstream) => {
      const { name, target, file } = upstream.config
      return [name, target.kind, shortPath(file), describeTools(upstream)]
    }),
    ...disabled.map(({ name, file }) => [name, '-', shortPath(file), 'disabled']),
  ]
  const [titles, ...lines] = alignColumns([['name', 'kind', 'file', 'tools'], ...rows])
  const shown = lines.flatMap((line, index) => [line, ...changedNote(upstreams[index], columns)])
  return `${styleText('dim', titles!)}\n${shown.map((line) => `${line}\n`).join('')}`
}

function describeTools(upstream: Upstream): string {
  const { listing } = upstream
  if (listing === null) return 'has never run'
  const all = listing.tools.length
  const served = upstreamTools(upstream).length
  return served === all ? `${all}` : `${served} of ${all}`
}

function changedNote(upstream: Upstream | undefined, columns: number | undefined): readonly string[] {
  const changed = upstream === undefined ? [] : changedNames(upstream)
  if (changed.length === 0) return []
  const names = changed.map((tool) => oneLine(tool)).join(', ')
  return hang('  ', `changed: ${names}; review with: curfew mcp approve ${upstream!.name}`, columns)
}

function changedNames({ state }: Upstream): readonly string[] {
  return state.changed.map(({ name }) => name)
}
