import { createRuntime, parseDuration, type RuntimeOptions, type Tool } from '@curfew/core'
import {
  defaultApprovalTimeoutMs,
  defaultMaxContentLength,
  formatHeartbeat,
  systemClock,
  toolSettings,
} from '@curfew/core/internal'
import { openUpstreams, type UpstreamsOptions } from '../client/open-upstreams.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { CatalogOptions } from './catalog.ts'
import { Gateway } from './gateway.ts'
import { MessageRouter } from './message-router.ts'

export interface GatewayOptions
  extends Partial<CatalogOptions>,
    Pick<UpstreamsOptions, 'stateFolder' | 'log' | 'tokens'> {
  /** Options of the runtime. Without rules, every call runs: the gate is the client's own prompt. */
  readonly runtime: RuntimeOptions
  /** Tools that are served in addition to those of the servers. */
  readonly tools: readonly Tool[]
  readonly servers: readonly ServerConfig[]
}

/** High enough that a server that hangs does not take the slots of the others. */
const concurrency = 256

/** Creates a gateway that serves tools, and everything else that its servers offer, to any number of clients. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { runtime: runtimeOptions, tools, servers, log } = options
  const { view = 'brief', include = [], exclude = [], unprefixed = false, nameLimit = 64 } = options
  const { clock = systemClock, approvalTimeout = defaultApprovalTimeoutMs } = runtimeOptions
  const askTimeoutMs = parseDuration(approvalTimeout, 'approvalTimeout')
  const severalServers = servers.length > 1
  const runtime = createRuntime({ concurrency, ...runtimeOptions, view })
  const router = new MessageRouter({ clock, askTimeoutMs, severalServers, runtime })
  runtime.onHeartbeat((heartbeat) =>
    router.requests.get(heartbeat.id)?.onHeartbeat(formatHeartbeat(heartbeat)),
  )
  const upstreams = await openUpstreams(servers, {
    ...options,
    bridgeFor: (upstream) => router.bridgeFor(upstream),
    vault: runtimeOptions.vault,
    hideSecret: runtime.hideSecret,
    openSignIn: (page) => router.openSignIn(page),
    clock,
  })
  const { maxContentLength = defaultMaxContentLength, missingTools = new Map() } = runtimeOptions
  return new Gateway({
    runtime,
    router,
    upstreams,
    clock,
    askTimeoutMs,
    tools,
    missingTools,
    log,
    maxContentLength,
    catalog: { view, include, exclude, unprefixed, nameLimit },
    effective: toolSettings(runtimeOptions.tools).effective,
  })
}
