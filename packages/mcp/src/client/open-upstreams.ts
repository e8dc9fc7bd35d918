import { type Clock, CredentialRequiredError, CurfewError, type Runtime, type Vault } from '@curfew/core'
import { messageOf, Redactor } from '@curfew/core/adapter'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientBridge } from './connection.ts'
import type { OpenSignIn } from './oauth/authorize.ts'
import { createSignIn } from './oauth/create-sign-in.ts'
import type { TokenStore } from './oauth/token-store.ts'
import { ServerState } from './server-state.ts'
import { Upstream } from './upstream.ts'

export interface UpstreamsOptions {
  /** Where what was seen of the servers is kept. */
  readonly stateFolder: string
  readonly log: (message: string) => void
  readonly vault?: Vault | undefined
  /** Where what people signed in for is kept. Without it nobody can. */
  readonly tokens?: TokenStore | undefined
  /** Shows a person where to sign in. */
  readonly openSignIn?: OpenSignIn | undefined
  /** Who answers what a server asks. Without it, servers are told that nobody can be asked. */
  readonly bridgeFor?: ((server: string) => ClientBridge) | undefined
  readonly hideSecret?: Runtime['hideSecret'] | undefined
  readonly clock?: Clock | undefined
}

/** The configured servers. None is started yet. */
export async function openUpstreams(
  servers: readonly ServerConfig[],
  options: UpstreamsOptions,
): Promise<Upstream[]> {
  const { stateFolder, bridgeFor, tokens, openSignIn, hideSecret, clock } = options
  const redactor = new Redactor()
  const log = (message: string): void => options.log(redactor.text(message))
  const signIn =
    tokens &&
    createSignIn({
      store: tokens,
      open: openSignIn,
      readSecret: (name, use) => readSecret(name, use, 'the sign-in', options),
      hide: (value) => {
        const forget = [redactor.add('of a sign-in', value), hideSecret?.('of a sign-in', value)]
        return () => {
          for (const one of forget) one?.()
        }
      },
    })
  return await Promise.all(
    servers.map(async (config) => {
      const upstream: Upstream = new Upstream(config, {
        state: await ServerState.open(stateFolder, config, log),
        readSecret: (name) => readSecret(name, upstream.secretUse, `the MCP server ${config.name}`, options),
        bridge: bridgeFor?.(config.name),
        signIn,
        redactor,
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
  use: string,
  who: string,
  { vault, hideSecret }: UpstreamsOptions,
): Promise<string> {
  const found = await vault?.read(name, use).catch((error: unknown) => {
    const code = error instanceof CurfewError ? error.code : 'SECRETS_UNAVAILABLE'
    throw new CurfewError(code, `${who} needs the secret ${name}, but ${messageOf(error)}`, { cause: error })
  })
  if (found?.kind === 'found') {
    hideSecret?.(name, found.value)
    return found.value
  }
  const command = `curfew secret set ${name} --for ${use.replace(/^(host|tool):/, '')}`
  throw new CredentialRequiredError(`${who} needs the secret ${name}; store it with: ${command}`, {
    key: name,
    why: 'missing',
    safeToRepeat: true,
  })
}
