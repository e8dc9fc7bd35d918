import { type Clock, CredentialRequiredError, type Runtime, type Vault } from '@curfew/core'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientBridge } from './connection.ts'
import type { SignInOptions } from './oauth/sign-in.ts'
import { ServerState } from './server-state.ts'
import { Upstream } from './upstream.ts'

export interface UpstreamsOptions {
  /** Where what was seen of the servers is kept. */
  readonly stateFolder: string
  readonly log: (message: string) => void
  readonly bridgeFor?: ((server: string) => ClientBridge) | undefined
  readonly vault?: Vault | undefined
  readonly hideSecret?: Runtime['hideSecret'] | undefined
  readonly signIn?: SignInOptions | undefined
  readonly clock?: Clock | undefined
}

/** The configured servers. None is started yet. */
export async function openUpstreams(
  servers: readonly ServerConfig[],
  options: UpstreamsOptions,
): Promise<Upstream[]> {
  const { stateFolder, log, bridgeFor, signIn, clock } = options
  return await Promise.all(
    servers.map(async (config) => {
      const upstream: Upstream = new Upstream(config, {
        state: await ServerState.open(stateFolder, config),
        readSecret: (name) => readSecret(name, upstream, options),
        bridge: bridgeFor?.(config.name),
        signIn,
        log,
        clock,
      })
      return upstream
    }),
  )
}

/** Outside of a call there is nobody to ask for one. */
async function readSecret(
  name: string,
  upstream: Upstream,
  { vault, hideSecret }: UpstreamsOptions,
): Promise<string> {
  const found = await vault?.read(name, upstream.secretUse)
  if (found?.kind === 'found') {
    hideSecret?.(name, found.value)
    return found.value
  }
  const use = upstream.secretUse.replace(/^(host|tool):/, '')
  throw new CredentialRequiredError(
    `the MCP server ${upstream.name} needs the secret ${name}; store it with: curfew secret set ${name} --for ${use}`,
    { key: name, why: 'missing', safeToRepeat: true },
  )
}
