import { randomBytes } from 'node:crypto'
import { messageOf, type View } from '@curfew/core/internal'
import { configRoots, openVault } from '@curfew/extensions'
import {
  type ApprovedContent,
  isLoopback,
  nothingApproved,
  readApprovedContent,
} from '@curfew/extensions/internal'
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type Profile,
  type ProfileAccess,
  serveGatewayOverHttp,
  serveGatewayOverStdio,
} from '@curfew/mcp'
import { mergeServerFiles, missingVariables, readServerFiles } from '@curfew/mcp/config'
import { UsageError } from '../command.ts'
import { openRecording, type Recording } from '../journal/open-recording.ts'
import { rejectNesting } from '../reject-nesting.ts'
import { reportProblems } from '../report-problems.ts'
import { secretOptions } from '../secret/open-secrets.ts'
import { startTelemetry, type Telemetry } from '../telemetry/start-telemetry.ts'
import { oneLine } from '../terminal.ts'
import { loadTools } from '../tools/load-tools.ts'
import { addGatewayMethods } from './add-gateway-methods.ts'
import { ConfigurationWatch } from './configuration-watch.ts'
import { describeEmpty, findProfile, readProfileTokens } from './gateway-profiles.ts'
import { stateFolder } from './open-servers.ts'
import { ServerLogs } from './server-logs.ts'
import { signInTokens } from './sign-in-tokens.ts'

/** How long a client has to read the rest of the output. */
const flushMs = 500

interface ServeInput {
  readonly view: View | undefined
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly profile: string | undefined
  readonly builtins: boolean
  readonly names: GatewayOptions['names'] | undefined
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
  const { gateway, watch, recording, telemetry, serverLogs, readTokens } = await openGateway(input)
  let url: string | null = null
  recording.onJournal((journal) =>
    addGatewayMethods(journal.control, gateway, {
      run: () => journal.run,
      transport: http === null ? 'stdio' : 'http',
      url: () => url,
      profile: input.profile ?? null,
      heldBack: () => watch.heldBack,
    }),
  )
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
  let code = 0
  try {
    if (http === null) {
      if (process.stdin.isTTY) explainStdio()
      await Promise.race([ended, serveGatewayOverStdio(gateway, report)])
    } else
      code = await serveHttp(gateway, http, readTokens, ended, (bound) => {
        url = bound
      })
  } finally {
    await watch.close()
    await gateway.close()
    await Promise.all([recording.close(), telemetry.flush(), serverLogs?.close()])
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
  readonly watch: ConfigurationWatch
  readonly recording: Recording
  readonly telemetry: Telemetry
  /** `null` if nothing is logged. */
  readonly serverLogs: ServerLogs | null
  /** The profiles that clients over HTTP can select by their token. */
  readonly readTokens: (mainToken: string | null) => Promise<readonly ProfileAccess[]>
}

async function openGateway(input: ServeInput): Promise<OpenedGateway> {
  const approved = await readApproved()
  const { tools, options, config, roots, problems } = await loadTools(
    'mcp',
    input.set,
    (config) => input.builtins || config.builtins,
  )
  rejectNesting('mcp', options)
  const profile = input.profile === undefined ? undefined : findProfile(input.profile, config.profiles)
  const files = await readServerFiles(roots)
  const { servers, unused, problems: serverProblems } = mergeServerFiles(files)
  reportProblems([...problems, ...serverProblems, ...missingVariables(unused)])
  const secrets = secretOptions()
  const vault = openVault(secrets)
  const recording = openRecording({ program: 'mcp', config, warn: log })
  const recorded = recording.connect(({ level, message, error, heartbeat }) => {
    if (level !== 'info' || heartbeat !== undefined)
      log(error === undefined ? message : `${message}: ${String(error)}`)
  })
  const serverLogs = config.recording.log.enabled ? new ServerLogs(log) : null
  const gateway = await createGateway({
    view: input.view ?? options.view ?? 'brief',
    include: input.include,
    exclude: input.exclude,
    names: input.names ?? (input.unprefixed ? 'bare' : 'full'),
    nameLimit: input['name-limit'],
    tools,
    servers,
    profile,
    stateFolder: stateFolder(roots),
    log,
    onServerLog: (server, entry) => serverLogs?.write(server, entry),
    tokens: signInTokens(secrets),
    fetchAllow: async () => config.agent.fetchAllow,
    runtime: {
      ...options,
      // The client prompts for approval itself, so a call without a rule runs.
      approval: { default: 'allow', ...options.approval },
      vault,
      log: recorded.log,
    },
  })
  const { runtime } = gateway
  recorded.attach(runtime)
  const telemetry = await startTelemetry({ runtime, outer: options.outer, warn: log })
  // With --profile, nothing else is served.
  const selectable = [...config.profiles].filter(([name]) => profile === undefined || name === profile.name)
  const warnIfEmpty = (one: Profile): void => {
    const problem = describeEmpty(
      one,
      servers.map(({ name }) => name),
    )
    if (problem !== null) log(problem)
  }
  if (profile !== undefined) warnIfEmpty(profile)
  const readTokens = async (mainToken: string | null): Promise<readonly ProfileAccess[]> => {
    const accesses = await readProfileTokens(new Map(selectable), { vault, mainToken, warn: log })
    if (profile === undefined) for (const access of accesses) warnIfEmpty(access.profile)
    return accesses
  }
  const watch = new ConfigurationWatch({ gateway, config, files, approved, log })
  return { gateway, watch, recording, telemetry, serverLogs, readTokens }
}

/** What has been approved in this project so far. */
async function readApproved(): Promise<ApprovedContent> {
  const { user, project } = configRoots()
  if (project === null) return nothingApproved
  return await readApprovedContent(user, project.path).catch((error: unknown) => {
    log(messageOf(error))
    return nothingApproved
  })
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
  readTokens: OpenedGateway['readTokens'],
  ended: Promise<void>,
  onListening: (url: string) => void,
): Promise<number> {
  let service: Awaited<ReturnType<typeof serveGatewayOverHttp>>
  const profiles = await readTokens(token)
  try {
    service = await serveGatewayOverHttp(gateway, { host, port, token, profiles, onerror: report })
  } catch (error) {
    log(messageOf(error))
    return 1
  }
  onListening(service.url)
  log(`listening on ${service.url}`)
  if (!isLoopback(host)) log('other machines can connect: anyone with the token can call your tools')
  if (token === null) log('no token is required: every program on this machine can connect')
  else if (process.env.CURFEW_MCP_TOKEN) log('clients must send the token in CURFEW_MCP_TOKEN')
  else {
    log('clients must send this header (set CURFEW_MCP_TOKEN to choose the token):')
    process.stderr.write(`  Authorization: Bearer ${token}\n`)
  }
  if (profiles.length > 0) {
    const names = profiles.map(({ profile }) => profile.name).join(', ')
    log(`clients with the token of a profile are served only that profile: ${names}`)
    if (token === null) log('that restricts nobody, because no token is required')
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
