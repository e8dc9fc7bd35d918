import { styleText } from 'node:util'
import { describeWaiting, type Upstream, upstreamTools } from '@curfew/mcp'
import { describeUnused } from '@curfew/mcp/config'
import { reportProblems } from '../report-problems.ts'
import { shortPath } from '../short-path.ts'
import { alignColumns, foldTo, hang, terminalWidth } from '../terminal.ts'
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

function toJson({ upstreams, unused, problems }: OpenServers): object {
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
      changed: upstream.state.changed.map(({ name }) => name),
      added: upstream.state.added.map(({ name }) => name),
    }
  })
  const others = unused.map((server) => ({ ...server, disabled: server.needs.length === 0 }))
  return { servers: [...servers, ...others], problems }
}

function table({ upstreams, unused, problems }: OpenServers): string {
  const columns = terminalWidth(process.stdout)
  if (upstreams.length + unused.length === 0) return `${foldTo(columns, noServers(problems))}\n`
  const rows = [
    ...upstreams.map((upstream) => {
      const { name, target, file } = upstream.config
      return [name, target.kind, shortPath(file), describeTools(upstream)]
    }),
    ...unused.map(({ name, file, needs }) => {
      return [name, '-', shortPath(file), needs.length === 0 ? 'disabled' : '-']
    }),
  ]
  const [titles, ...lines] = alignColumns([['name', 'kind', 'file', 'tools'], ...rows])
  const notes = [
    ...upstreams.map(({ name, state }) => describeWaiting(name, state)),
    ...unused.map((server) => (server.needs.length === 0 ? null : describeUnused(server))),
  ]
  const shown = lines.flatMap((line, index) => [
    line,
    ...(notes[index] ? hang('  ', notes[index], columns) : []),
  ])
  return `${styleText('dim', titles!)}\n${shown.map((line) => `${line}\n`).join('')}`
}

function describeTools(upstream: Upstream): string {
  const { listing } = upstream
  if (listing === null) return 'has never run'
  const all = listing.tools.length
  const served = upstreamTools(upstream).length
  return served === all ? `${all}` : `${served} of ${all}`
}
