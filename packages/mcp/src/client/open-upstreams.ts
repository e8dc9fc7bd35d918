import { CurfewError, type Runtime, type Vault } from '@curfew/core'
import { describeUse, messageOf, Redactor, storeSecretCommand } from '@curfew/core/internal'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientBridge } from './connection/client-bridge.ts'
import { UpstreamCredentialError, UpstreamError } from './errors/upstream-error.ts'
import type { UpstreamLog } from './listing/server-lists.ts'
import type { SignInPrompt } from './oauth/authorize.ts'
import { createSignIn, type SignInOptions } from './oauth/create-sign-in.ts'
import type { TokenStore } from './oauth/token-store.ts'
import { ServerLog, type ServerLogEntry } from './server-log.ts'
import { ServerState } from './state/server-state.ts'
import { Upstream, type UpstreamOptions } from './upstream.ts'

export interface UpstreamsOptions
  extends Pick<UpstreamOptions, 'log' | 'onDownload' | 'startTimeoutName' | 'clock'> {
  /** The directory for the servers' state: their last listing and their pinned tools. */
  readonly stateFolder: string
  /** Called with what happens to each server, and what it prints. */
  readonly onServerLog?: ((server: ServerConfig, entry: ServerLogEntry) => void) | undefined
  readonly vault?: Vault | undefined
  /** Stores OAuth tokens. Without it, servers that require a sign-in cannot be used. */
  readonly tokens?: TokenStore | undefined
  /** Asks the user to sign in. */
  readonly signInPrompt?: SignInPrompt | undefined
  /** Private addresses that an authorization server may have. */
  readonly fetchAllow?: SignInOptions['fetchAllow']
  /** Answers a server's requests. Without it, the client declares no capabilities. */
  readonly bridgeFor?: ((upstream: () => Upstream) => ClientBridge) | undefined
  readonly hideSecret?: Runtime['hideSecret'] | undefined
  /** Each client holds a server that it uses, see `Upstream.hold`. Otherwise there is one client, this program. @default false */
  readonly severalClients?: boolean | undefined
}

/** Creates an `Upstream` for each configured server without starting it. */
export async function openUpstreams(
  servers: readonly ServerConfig[],
  options: UpstreamsOptions,
): Promise<Upstream[]> {
  return await Promise.all(servers.map((config) => openUpstream(config, options)))
}

/** Creates an `Upstream` without starting it. */
export async function openUpstream(server: ServerConfig, options: UpstreamsOptions): Promise<Upstream> {
  const config = { ...server }
  const { stateFolder, onDownload, bridgeFor, tokens, signInPrompt, fetchAllow, hideSecret } = options
  const { startTimeoutName, severalClients, onServerLog, clock } = options
  // Only the server's own secrets: its tools must not look changed depending on which other servers run.
  const redactor = new Redactor()
  const serverLog = onServerLog && new ServerLog(config.name, (entry) => onServerLog(config, entry))
  const log: UpstreamLog = (message, ...topic) => {
    const text = redactor.text(message)
    serverLog?.onEvent(text)
    options.log(text, ...topic)
  }
  const upstream: Upstream = new Upstream(config, {
    state: await ServerState.open(stateFolder, config, log),
    readSecret: (name) => readSecret(name, upstream.secretUse, config.name, options),
    bridge: bridgeFor?.(() => upstream),
    signIn:
      tokens &&
      createSignIn({
        store: tokens,
        prompt: signInPrompt,
        fetchAllow,
        readSecret: (name, use) => readSecret(name, use, config.name, options),
        hide: (value) => {
          const reveal = [redactor.add('of a sign-in', value), hideSecret?.('of a sign-in', value)]
          return () => {
            for (const one of reveal) one?.()
          }
        },
      }),
    redactor,
    log,
    serverLog,
    onDownload,
    startTimeoutName,
    severalClients,
    clock,
  })
  return upstream
}

/** Reads a secret outside of a call, where no person can be asked for it. */
async function readSecret(
  name: string,
  use: string,
  server: string,
  { vault, hideSecret }: UpstreamsOptions,
): Promise<string> {
  const found = await vault?.read(name, use).catch((error: unknown) => {
    const code = error instanceof CurfewError ? error.code : 'SECRETS_UNAVAILABLE'
    const reason = `requires the secret ${name}, but ${messageOf(error)}`
    throw new UpstreamError(code, server, reason, { cause: error })
  })
  if (found?.kind === 'found') {
    hideSecret?.(name, found.value)
    return found.value
  }
  const others =
    found?.kind === 'elsewhere' ? `, which was stored for ${found.uses.map(describeUse).join(', ')}` : ''
  const detail = `requires the secret ${name}${others}; store it with: ${storeSecretCommand(name, use)}`
  throw new UpstreamCredentialError(server, detail, { key: name, reason: 'missing', retrySafe: true })
}
