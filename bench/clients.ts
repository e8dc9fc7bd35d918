import { agentNames, agents } from './clients/agent-clients.ts'
import { checkAgent } from './clients/check-agent.ts'
import { checkInspector } from './clients/check-inspector.ts'
import { checkLibrary } from './clients/check-library.ts'
import type { ClientChecks } from './clients/client-checks.ts'
import { libraryNames, libraryPackages } from './clients/library-connectors.ts'
import { type Transport, transports } from './clients/stage.ts'
import type { Findings, Target } from './report.ts'

interface BenchedClient {
  readonly name: string
  readonly transports: readonly Transport[]
  readonly check: (transport: Transport) => Promise<ClientChecks>
}

const clients: readonly BenchedClient[] = [
  ...agentNames.map((name) => ({
    name,
    transports,
    check: (transport: Transport) => checkAgent(name, transport),
  })),
  ...libraryNames.map((name) => ({
    name,
    transports: name === 'mcp-remote' ? (['http'] as const) : transports,
    check: (transport: Transport) => checkLibrary(name, transport),
  })),
  { name: 'Inspector', transports, check: checkInspector },
]

/** What `npm run bench:setup` installs for it. */
export const clientPackages: readonly string[] = [
  ...agentNames.map((name) => agents[name].package),
  ...Object.values(libraryPackages),
]

/** Real clients in front of the gateway: agents with a scripted model on the loopback interface, and libraries. */
export async function measureClients(args: readonly string[]): Promise<Findings> {
  const only = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length)
  const rows: (readonly [string, ClientChecks | Error])[] = []
  for (const { name, transports, check } of clients) {
    if (only !== undefined && name !== only) continue
    for (const transport of transports) {
      const checks = await check(transport).catch((error: unknown) => error as Error)
      rows.push([`${name}, ${transport}`, checks])
    }
  }
  return {
    targets: rows.map(([name, checks]) => targetOf(name, checks)),
    information: [],
    tables: [
      {
        title: 'clients of the gateway',
        head: ['', 'list', 'call', 'timeout', 'cancel', 'dead server', 'left over'],
        rows: rows.map(([name, checks]) => [name, ...cellsOf(checks)]),
      },
    ],
    notes: rows.flatMap(([name, checks]) => (checks instanceof Error ? [`${name}: ${checks.message}`] : [])),
  }
}

function targetOf(name: string, checks: ClientChecks | Error): Target {
  const passed =
    checks instanceof Error
      ? 0
      : [checks.list, checks.call, checks.timeout, checks.cancel !== false, checks.dead].filter(Boolean)
          .length - checks.survivors
  return { name, figure: passed, unit: 'of 5', atLeast: 5 }
}

function cellsOf(checks: ClientChecks | Error): string[] {
  if (checks instanceof Error) return ['failed', '', '', '', '', '']
  const { list, call, timeout, cancel, dead, survivors } = checks
  const mark = (passed: boolean): string => (passed ? 'yes' : 'NO')
  const cancelled = { cancelled: 'yes', ended: 'when it disconnects' }
  return [
    mark(list),
    mark(call),
    mark(timeout),
    cancel === false ? 'NO' : cancelled[cancel],
    mark(dead),
    String(survivors),
  ]
}
