import { didYouMean } from '@curfew/core/internal'
import { UsageError } from '../command.ts'
import { homePath } from '../short-path.ts'
import { oneLine } from '../terminal.ts'
import { write, writeError } from '../write.ts'
import { askGateways } from './ask-gateways.ts'
import { findConfigured } from './find-configured.ts'
import { readGatewayStatus, type ServerReport } from './gateway-status.ts'

/** A gateway answers when the new process may be used, not when the old one has ended. */
const timeoutMs = 10_000

/** `curfew mcp restart`. Returns the exit code. */
export async function runMcpRestart(server: string): Promise<number> {
  const file = await fileOf(server)
  const asked = await askGateways({
    method: 'restart-server',
    params: { server, file },
    read: readRestarted,
    timeoutMs,
  })
  const gateway = (pid: number, project: string): string => `gateway ${pid} (${oneLine(homePath(project))})`
  for (const { pid, project, answer } of asked) {
    if (answer === null) writeError(`curfew mcp restart: ${gateway(pid, project)} does not respond\n`)
    else if (answer.restarted) write(`restarted ${server} in ${gateway(pid, project)}\n`)
  }
  if (asked.some(({ answer }) => answer?.restarted))
    return asked.every(({ answer }) => answer !== null) ? 0 : 1
  // One that does not respond may have it, and was reported.
  if (asked.some(({ answer }) => answer === null)) return 1
  const none = asked.length === 0 ? 'no gateway is running' : 'no gateway has it'
  writeError(`curfew mcp restart: ${server} was not restarted: ${none}\n`)
  return 1
}

/** The file that defines the server: here, or in the only gateway that has a server with this name. */
async function fileOf(server: string): Promise<string> {
  const configured = await findConfigured(server)
  if (configured !== null) return configured.file
  const gateways = await askGateways({ method: 'servers', read: readGatewayStatus })
  const all: readonly ServerReport[] = gateways.flatMap(({ answer }) => answer?.servers ?? [])
  const files = [...new Set(all.filter(({ name }) => name === server).map(({ file }) => file))]
  if (files.length === 1) return files[0]!
  if (files.length > 1) {
    const folders = files.map((file) => oneLine(homePath(file))).join(', ')
    throw new UsageError(
      `curfew mcp restart: several servers have the name ${server}: ${folders}; run it in the folder of one of them`,
    )
  }
  const hint =
    didYouMean(
      server,
      all.map(({ name }) => name),
    ) || 'curfew mcp status lists the servers'
  throw new UsageError(`curfew mcp restart: unknown server ${JSON.stringify(server)}; ${hint}`)
}

function readRestarted(value: unknown): { readonly run: string; readonly restarted: boolean } | null {
  const { run, restarted } = Object(value) as Record<string, unknown>
  return typeof run === 'string' ? { run, restarted: restarted === true } : null
}
