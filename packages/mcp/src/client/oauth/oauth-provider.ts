import { randomBytes } from 'node:crypto'
import { CurfewError } from '@curfew/core'
import { parseJson } from '@curfew/core/internal'
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { validateClientMetadataUrl } from '@modelcontextprotocol/client'
import { callbackUrl } from './callback-listener.ts'
import type { TokenStore } from './token-store.ts'

export interface OAuthProviderOptions {
  readonly serverName: string
  readonly url: string
  readonly store: TokenStore
  /** A client that was registered by hand. */
  readonly clientId?: string | undefined
  readonly clientSecret?: (() => Promise<string>) | undefined
  /** Where this client describes itself, for servers that know clients by a URL. */
  readonly clientMetadataUrl?: string | undefined
  readonly scopes?: readonly string[] | undefined
  /** Called with every secret that is read or received, so that it can be kept out of what is shown. Returns what forgets it. */
  readonly hide?: ((value: string) => () => void) | undefined
}

/** What is kept from one run to the next. */
interface Saved {
  readonly client?: StoredOAuthClientInformation | undefined
  readonly tokens?: StoredOAuthTokens | undefined
}

/** A server renews its tokens all day; those before the last few are good for nothing any more. */
const maxRedacted = 8

/**
 * One server's side of the SDK's OAuth. Tokens and the registration are kept in the store; what belongs to a sign-in
 * that is running stays in memory, for the port that waits for its answer ends with us.
 */
export class OAuthProvider implements OAuthClientProvider {
  readonly serverName: string
  readonly url: string
  readonly clientMetadataUrl?: string
  /** Where the answer of a sign-in comes back to. */
  redirectUrl: string = callbackUrl()
  readonly #options: OAuthProviderOptions
  /** With what forgets each. */
  readonly #hidden = new Map<string, () => void>()
  #saved: Promise<Saved> | null = null
  #state: string | null = null
  #verifier: string | null = null
  #discovery: OAuthDiscoveryState | undefined
  #authorizationUrl: URL | null = null

  constructor(options: OAuthProviderOptions) {
    validateClientMetadataUrl(options.clientMetadataUrl)
    this.#options = options
    this.serverName = options.serverName
    this.url = options.url
    if (options.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.clientMetadataUrl
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scopes } = this.#options
    return {
      client_name: 'Curfew',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    }
  }

  /** Scopes that the configuration asks for. */
  get configuredScope(): string | undefined {
    return this.#options.scopes?.join(' ')
  }

  /** Begins a sign-in: what an earlier one left behind is void. */
  begin(redirectUrl?: string): void {
    if (redirectUrl !== undefined) this.redirectUrl = redirectUrl
    this.#state = null
    this.#verifier = null
    this.#discovery = undefined
    this.#authorizationUrl = null
  }

  /** Somebody else may have signed in, or renewed the token, in the meantime. */
  async reload(): Promise<void> {
    this.#saved = null
    await this.#load()
  }

  state(): string {
    this.#state ??= randomBytes(32).toString('base64url')
    return this.#state
  }

  async clientInformation(
    ctx?: OAuthClientInformationContext,
  ): Promise<StoredOAuthClientInformation | undefined> {
    const { client } = await this.#load()
    const { clientId, clientSecret } = this.#options
    if (clientId === undefined) return client
    const issuer = client?.client_id === clientId ? client.issuer : undefined
    if (issuer !== undefined && ctx !== undefined && trimmed(issuer) !== trimmed(ctx.issuer)) {
      throw new CurfewError(
        'CREDENTIAL_REQUIRED',
        `${this.serverName}: the server sends sign-ins to ${ctx.issuer} now; \`clientId\` was used with ${issuer} and is ` +
          'not shown to anybody else. If that is right, give the server a new name in mcp.json',
      )
    }
    return {
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: await clientSecret() }),
      ...(ctx === undefined ? {} : { issuer: ctx.issuer }),
    }
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    // A secret from the configuration is not ours to keep.
    const { client_secret: _, ...withoutSecret } = client
    const kept = this.#options.clientId === undefined ? client : withoutSecret
    await this.#save((saved) => ({ ...saved, client: kept }))
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.#load()).tokens
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    const { clientId } = this.#options
    await this.#save(({ client }) => ({
      // So that a client from the configuration stays with the server that it was first used with.
      client: clientId === undefined ? client : stamp(clientId, tokens.issuer),
      tokens,
    }))
  }

  redirectToAuthorization(url: URL): void {
    this.#authorizationUrl = url
  }

  /** Where the person has to go; `null` if nobody has to. */
  get authorizationUrl(): URL | null {
    return this.#authorizationUrl
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    if (this.#verifier === null) throw new Error('there is no sign-in in progress')
    return this.#verifier
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'all' || scope === 'verifier') this.#verifier = null
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined
    if (scope === 'all' || scope === 'client') await this.#save(({ tokens }) => ({ tokens }))
    if (scope === 'all' || scope === 'tokens') await this.#save(({ client }) => ({ client }))
  }

  async #load(): Promise<Saved> {
    this.#saved ??= this.#options.store.read(this.#options).then((text) => this.#hide(parseSaved(text)))
    try {
      return await this.#saved
    } catch (error) {
      // The store may be opened later.
      this.#saved = null
      throw error
    }
  }

  async #save(change: (saved: Saved) => Saved): Promise<void> {
    const saved = this.#hide(change(await this.#load()))
    const isEmpty = saved.client === undefined && saved.tokens === undefined
    await this.#options.store.write(this.#options, isEmpty ? null : JSON.stringify(saved))
    this.#saved = Promise.resolve(saved)
  }

  #hide(saved: Saved): Saved {
    const { client, tokens } = saved
    for (const secret of [tokens?.access_token, tokens?.refresh_token, client?.client_secret]) {
      if (secret === undefined) continue
      const forget = this.#hidden.get(secret) ?? this.#options.hide?.(secret) ?? (() => {})
      // The last that were used stand last.
      this.#hidden.delete(secret)
      this.#hidden.set(secret, forget)
    }
    const old = [...this.#hidden].slice(0, -maxRedacted)
    for (const [secret, forget] of old) {
      this.#hidden.delete(secret)
      forget()
    }
    return saved
  }
}

function stamp(clientId: string, issuer: string | undefined): StoredOAuthClientInformation {
  return { client_id: clientId, ...(issuer === undefined ? {} : { issuer }) }
}

function trimmed(issuer: string): string {
  return issuer.replace(/\/$/, '')
}

function parseSaved(text: string | null): Saved {
  try {
    const { client, tokens } = Object(parseJson(text ?? '{}')) as Record<string, unknown>
    return {
      ...(hasStrings(client, 'client_id', 'client_secret') && { client: client as Saved['client'] }),
      ...(hasStrings(tokens, 'access_token', 'refresh_token') && { tokens: tokens as Saved['tokens'] }),
    }
  } catch {
    // It was damaged: as if there were none.
    return {}
  }
}

/** The first has to be there, the others may. */
function hasStrings(value: unknown, first: string, ...others: readonly string[]): boolean {
  const fields = Object(value) as Record<string, unknown>
  return (
    typeof fields[first] === 'string' &&
    others.every((name) => fields[name] === undefined || typeof fields[name] === 'string')
  )
}
