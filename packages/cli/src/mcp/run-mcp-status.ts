import type { AskedProcess } from '@curfew/journal'
import { upstreamTools } from '@curfew/mcp'
import { reportProblems } from '../report-problems.ts'
import { terminalWidth } from '../terminal.ts'
import { write } from '../write.ts'
import { askGateways } from './ask-gateways.ts'
import { type GatewayStatus, readGatewayStatus } from './gateway-status.ts'
import { openServers } from './open-servers.ts'
import { ServerLogReader } from './read-server-log.ts'
import { type ServerLogLine, serverLogPath } from './server-logs.ts'
import { type KnownServer, showStatus } from './show-status.ts'

/** `curfew mcp status`. Returns the exit code. */
export async function runMcpStatus(json: boolean): Promise<number> {
  const [gateways, { servers, problems }] = await Promise.all([
    askGateways({ method: 'servers', read: readGatewayStatus }),
    configuredServers(),
  ])
  if (json) write(`${JSON.stringify(toJson(gateways, servers))}\n`)
  else {
    const columns = terminalWidth(process.stdout)
    write(showStatus(gateways, servers, { columns, now: Date.now(), problems }))
  }
  reportProblems(problems)
  return 0
}

/** What the files say about the servers here. */
async function configuredServers(): Promise<{
  readonly servers: readonly KnownServer[]
  readonly problems: Awaited<ReturnType<typeof openServers>>['problems']
}> {
  const { upstreams, unused, problems } = await openServers('mcp status')
  const enabled = await Promise.all(
    upstreams.map(async (upstream): Promise<KnownServer> => {
      const { config, listing, state } = upstream
      return {
        name: config.name,
        file: config.file,
        isDisabled: false,
        needs: [],
        tools: listing === null ? null : upstreamTools(upstream).length,
        changed: state.changed.map(({ name }) => name),
        added: state.added.map(({ name }) => name),
        lastEvent: await lastEvent(serverLogPath(config)),
      }
    }),
  )
  const others = unused.map((server): KnownServer => {
    const isDisabled = server.needs.length === 0
    return { ...server, isDisabled, tools: null, changed: [], added: [], lastEvent: null }
  })
  return { servers: [...enabled, ...others], problems }
}

async function lastEvent(path: string): Promise<ServerLogLine | null> {
  const lines = (await new ServerLogReader(path).readLast(Number.POSITIVE_INFINITY)) ?? []
  return lines.findLast(({ kind }) => kind === 'event') ?? null
}

function toJson(gateways: readonly AskedProcess<GatewayStatus>[], servers: readonly KnownServer[]): object {
  return {
    gateways: gateways.map(({ answer, run, pid, version, project, startedAt, contact }) => ({
      run,
      pid,
      version,
      project,
      startedAt,
      contact,
      transport: answer?.transport ?? null,
      url: answer?.url ?? null,
      profile: answer?.profile ?? null,
      servers: answer?.servers ?? null,
      heldBack: answer?.heldBack ?? null,
    })),
    configured: servers.map(({ isDisabled, lastEvent: event, ...server }) => ({
      ...server,
      disabled: isDisabled,
      lastEvent: event && { at: event.at, text: event.text },
    })),
  }
}
