import { randomBytes } from 'node:crypto'
import { messageOf, type View } from '@curfew/core/internal'
import { openVault } from '@curfew/extensions'
import { isLoopback } from '@curfew/extensions/internal'
import { createGateway, type Gateway, serveGatewayOverHttp, serveGatewayOverStdio } from '@curfew/mcp'
import { loadServers } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'
import { openRecording, type Recording } from '../journal/open-recording.ts'
import { rejectNesting } from '../reject-nesting.ts'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { startTelemetry, type Telemetry } from '../telemetry/start-telemetry.ts'
import { oneLine } from '../terminal.ts'
import { loadTools } from '../tools/load-tools.ts'
import { stateFolder } from './open-servers.ts'
import { signInTokens } from './sign-in-tokens.ts'

/** How long a client has to read the rest of the output. */
const flushMs = 500

interface ServeInput {
  readonly view: View | undefined
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly builtins: boolean
  readonly unprefixed: boolean
  readonly 'name-limit': number
  readonly set: readonly string[]
  readonly http: boolean
  readonly port: number
  readonly host: string
  readonly 'no-token': boolean
}

/** `curfew mcp`: the gateway. Standard output belongs to the protocol, so messages go to standard error. Returns the exit code. */
export async function runMcpServe(input: ServeInput): Promise<number> {
  const http = input.http ? httpOptions(input) : null
  // A library that logs must not write to standard output either.
  // biome-ignore lint/suspicious/noConsole: redirected, not used
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error
  const { gateway, recording, telemetry } = await openGateway(input)
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
  let code = 0
  try {
    if (http === null) {
      if (process.stdin.isTTY) explainStdio()
      await Promise.race([ended, serveGatewayOverStdio(gateway, report)])
    } else code = await serveHttp(gateway, http, ended)
  } finally {
    await gateway.close()
    await Promise.all([recording.close(), telemetry.flush()])
  }
  process.stdin.destroy()
  setTimeout(() => process.exit(code), flushMs).unref()
  return code
}

/** On a terminal, it was probably started by mistake, since JSON-RPC is not typed by hand. */
function explainStdio(): void {
  log('this is the MCP server that an agent starts; curfew mcp --help shows how to add it to an agent')
  log('to test your servers: curfew mcp test; to serve over HTTP: curfew mcp --http')
  log('waiting for a client; Ctrl-C stops it')
}

interface OpenedGateway {
  readonly gateway: Gateway
  readonly recording: Recording
  readonly telemetry: Telemetry
}

async function openGateway(input: ServeInput): Promise<OpenedGateway> {
  const { tools, options, config, roots, problems } = await loadTools(
    'mcp',
    input.set,
    (config) => input.builtins || config.builtins,
  )
  rejectNesting('mcp', options)
  const { servers, problems: serverProblems } = await loadServers(roots)
  reportProblems([...problems, ...serverProblems])
  const secrets = secretOptions()
  const recording = openRecording({ program: 'mcp', config, warn: log })
  const recorded = recording.connect(({ level, message, error, heartbeat }) => {
    if (level !== 'info' || heartbeat !== undefined)
      log(error === undefined ? message : `${message}: ${String(error)}`)
  })
  const gateway = await createGateway({
    view: input.view ?? options.view ?? 'brief',
    include: input.include,
    exclude: input.exclude,
    unprefixed: input.unprefixed,
    nameLimit: input['name-limit'],
    tools,
    servers,
    stateFolder: stateFolder(roots),
    log,
    tokens: signInTokens(secrets),
    runtime: {
      ...options,
      // The client prompts for approval and handles loops itself, so a call without a rule runs.
      approval: { default: 'allow', ...options.approval },
      loops: options.loops === false ? false : { ...options.loops, stopAfter: Number.POSITIVE_INFINITY },
      vault: openVault(secrets),
      log: recorded.log,
    },
  })
  const { runtime } = gateway
  recorded.attach(runtime)
  const telemetry = await startTelemetry({ runtime, outer: options.outer, warn: log })
  return { gateway, recording, telemetry }
}

interface HttpOptions {
  readonly host: string
  readonly port: number
  readonly token: string | null
}

function httpOptions({ host, port, 'no-token': noToken }: ServeInput): HttpOptions {
  if (noToken && !isLoopback(host))
    throw new UsageError(
      `curfew mcp: --no-token requires a loopback address; with --host ${JSON.stringify(host)}, other machines could connect`,
    )
  const token = noToken ? null : process.env.CURFEW_MCP_TOKEN || randomBytes(24).toString('base64url')
  return { host, port, token }
}

async function serveHttp(
  gateway: Gateway,
  { host, port, token }: HttpOptions,
  ended: Promise<void>,
): Promise<number> {
  let service: Awaited<ReturnType<typeof serveGatewayOverHttp>>
  try {
    service = await serveGatewayOverHttp(gateway, { host, port, token, onerror: report })
  } catch (error) {
    log(messageOf(error))
    return 1
  }
  log(`listening on ${service.url}`)
  if (!isLoopback(host)) log('other machines can connect: anyone with the token can call your tools')
  if (token === null) log('no token is required: every program on this machine can connect')
  else if (process.env.CURFEW_MCP_TOKEN) log('clients must send the token in CURFEW_MCP_TOKEN')
  else {
    log('clients must send this header (set CURFEW_MCP_TOKEN to choose the token):')
    process.stderr.write(`  Authorization: Bearer ${token}\n`)
  }
  await ended
  await service.close()
  return 0
}

function report(error: Error): void {
  if (process.env.CURFEW_DEBUG === '1') log(error.message)
}

function log(line: string): void {
  process.stderr.write(`curfew mcp: ${oneLine(line)}\n`)
}
