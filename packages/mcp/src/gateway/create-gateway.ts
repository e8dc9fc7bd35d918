import { createRuntime, parseDuration, type RuntimeOptions, type Tool } from '@curfew/core'
import {
  defaultApprovalTimeoutMs,
  defaultMaxContentLength,
  formatHeartbeat,
  systemClock,
  toolSettings,
} from '@curfew/core/internal'
import { openUpstream, openUpstreams, type UpstreamsOptions } from '../client/open-upstreams.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { CatalogOptions } from './catalog.ts'
import { Gateway } from './gateway.ts'
import { MessageRouter } from './message-router.ts'
import { type Profile, Scope } from './scope.ts'

export interface GatewayOptions
  extends Partial<CatalogOptions>,
    Pick<UpstreamsOptions, 'stateFolder' | 'log' | 'tokens' | 'fetchAllow' | 'onServerLog'> {
  /** Options of the runtime. Without rules, every call runs: the gate is the client's own prompt. */
  readonly runtime: RuntimeOptions
  /** Tools that are served in addition to those of the servers. */
  readonly tools: readonly Tool[]
  readonly servers: readonly ServerConfig[]
  /** Serve only this part of it. @default everything */
  readonly profile?: Profile | undefined
}

/** Clients poll, and press the same key several times. The model is only told: its agent decides whether to stop it. */
const loopDefaults = { nudgeAfter: 10 }

/** High enough that a server that hangs does not take the slots of the others. */
const concurrency = 256

/** Creates a gateway that serves tools, and everything else that its servers offer, to any number of clients. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { runtime: runtimeOptions, tools, servers, profile = null, log } = options
  const { view = 'brief', include = [], exclude = [], names = 'full', nameLimit = 64 } = options
  const { clock = systemClock, approvalTimeout = defaultApprovalTimeoutMs } = runtimeOptions
  const askTimeoutMs = parseDuration(approvalTimeout, 'approvalTimeout')
  const loops = runtimeOptions.loops !== false && {
    ...loopDefaults,
    ...runtimeOptions.loops,
    stopAfter: Number.POSITIVE_INFINITY,
  }
  const runtime = createRuntime({ concurrency, ...runtimeOptions, loops, view })
  const router = new MessageRouter({ clock, askTimeoutMs, runtime })
  runtime.onHeartbeat((heartbeat) =>
    router.requests.get(heartbeat.id)?.onHeartbeat(formatHeartbeat(heartbeat)),
  )
  const upstreamOptions: UpstreamsOptions = {
    ...options,
    bridgeFor: (upstream) => router.bridgeFor(upstream),
    vault: runtimeOptions.vault,
    hideSecret: runtime.hideSecret,
    signInPrompt: router.signInPrompt,
    severalClients: true,
    clock,
  }
  const { maxContentLength = defaultMaxContentLength, missingTools = new Map() } = runtimeOptions
  return new Gateway({
    runtime,
    router,
    upstreams: await openUpstreams(
      servers.filter(({ name }) => new Scope(profile).needs(name)),
      upstreamOptions,
    ),
    openUpstream: (config) => openUpstream(config, upstreamOptions),
    clock,
    askTimeoutMs,
    tools,
    missingTools,
    log,
    maxContentLength,
    catalog: { view, include, exclude, names, nameLimit },
    profile,
    effective: toolSettings(runtimeOptions.tools).effective,
  })
}
