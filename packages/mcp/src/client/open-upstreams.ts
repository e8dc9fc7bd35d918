import { CredentialRequiredError, CurfewError, type Runtime, type Vault } from '@curfew/core'
import { type Clock, describeUse, howToStore, messageOf, Redactor } from '@curfew/core/internal'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientBridge } from './connection/client-bridge.ts'
import type { OpenSignIn } from './oauth/authorize.ts'
import { createSignIn } from './oauth/create-sign-in.ts'
import type { TokenStore } from './oauth/token-store.ts'
import { ServerState } from './state/server-state.ts'
import { Upstream } from './upstream.ts'

export interface UpstreamsOptions {
  /** Where what was seen of the servers is kept. */
  readonly stateFolder: string
  readonly log: (message: string) => void
  /** Called repeatedly while a server is being downloaded. @default log */
  readonly onDownload?: ((message: string) => void) | undefined
  readonly vault?: Vault | undefined
  /** Where what people signed in for is kept. Without it nobody can. */
  readonly tokens?: TokenStore | undefined
  /** Shows a person where to sign in. */
  readonly openSignIn?: OpenSignIn | undefined
  /** Who answers what a server asks. Without it, servers are told that nobody can be asked. */
  readonly bridgeFor?: ((upstream: () => Upstream) => ClientBridge) | undefined
  readonly hideSecret?: Runtime['hideSecret'] | undefined
  readonly clock?: Clock | undefined
}

/** The configured servers. None is started yet. */
export async function openUpstreams(
  servers: readonly ServerConfig[],
  options: UpstreamsOptions,
): Promise<Upstream[]> {
  return await Promise.all(servers.map((config) => openUpstream(config, options)))
}

async function openUpstream(config: ServerConfig, options: UpstreamsOptions): Promise<Upstream> {
  const { stateFolder, onDownload, bridgeFor, tokens, openSignIn, hideSecret, clock } = options
  // Only what it was given itself: a tool of its must not look changed because another server runs or does not.
  const redactor = new Redactor()
  const log = (message: string): void => options.log(redactor.text(message))
  const read = (name: string, use: string, who: string): Promise<string> =>
    readSecret(name, use, who, options)
  const upstream: Upstream = new Upstream(config, {
    state: await ServerState.open(stateFolder, config, log),
    readSecret: (name) => read(name, upstream.secretUse, `the MCP server ${config.name}`),
    bridge: bridgeFor?.(() => upstream),
    signIn:
      tokens &&
      createSignIn({
        store: tokens,
        open: openSignIn,
        readSecret: (name, use) => read(name, use, 'the sign-in'),
        hide: (value) => {
          const forget = [redactor.add('of a sign-in', value), hideSecret?.('of a sign-in', value)]
          return () => {
            for (const one of forget) one?.()
          }
        },
      }),
    redactor,
    log,
    onDownload,
    clock,
  })
  return upstream
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
  const others =
    found?.kind === 'elsewhere' ? `, which was stored for ${found.uses.map(describeUse).join(', ')}` : ''
  const message = `${who} needs the secret ${name}${others}; store it with: ${howToStore(name, use)}`
  throw new CredentialRequiredError(message, { key: name, why: 'missing', safeToRepeat: true })
}
