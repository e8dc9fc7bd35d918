import { randomBytes } from 'node:crypto'
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
import { UpstreamError } from '../errors/upstream-error.ts'
import { callbackUrl } from './callback-listener.ts'
import type { TokenStore } from './token-store.ts'

export interface OAuthProviderOptions {
  readonly serverName: string
  readonly url: string
  readonly store: TokenStore
  /** The id of a client that was registered manually. */
  readonly clientId?: string | undefined
  readonly clientSecret?: (() => Promise<string>) | undefined
  /** The URL of this client's metadata, for servers that identify clients by it. */
  readonly clientMetadataUrl?: string | undefined
  readonly scopes?: readonly string[] | undefined
  /** Called with every secret that is read or received, to redact it. Returns a function that stops redacting it. */
  readonly hide?: ((value: string) => () => void) | undefined
}

/** What is stored between runs. */
interface Saved {
  readonly client?: StoredOAuthClientInformation | undefined
  readonly tokens?: StoredOAuthTokens | undefined
}

/** Tokens are renewed often, and only the last few can still be valid. */
const maxRedacted = 8

/**
 * The SDK's OAuth provider for one server. Tokens and the client registration are stored; the state of a sign-in in progress stays in
 * memory, because the port that waits for its response is closed when the process exits.
 */
export class OAuthProvider implements OAuthClientProvider {
  readonly serverName: string
  readonly url: string
  readonly clientMetadataUrl?: string
  /** Receives the response of a sign-in. */
  redirectUrl: string = callbackUrl()
  readonly #options: OAuthProviderOptions
  /** The redacted values, each with the function that stops redacting it. */
  readonly #redacted = new Map<string, () => void>()
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

  /** The scopes in the configuration. */
  get configuredScope(): string | undefined {
    return this.#options.scopes?.join(' ')
  }

  /** Starts a sign-in and discards the state of an earlier one. */
  begin(redirectUrl?: string): void {
    if (redirectUrl !== undefined) this.redirectUrl = redirectUrl
    this.#state = null
    this.#verifier = null
    this.#discovery = undefined
    this.#authorizationUrl = null
  }

  /** Rereads the store: another process may have signed in or renewed the token. */
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
    if (issuer !== undefined && ctx !== undefined && !isSameIssuer(issuer, ctx.issuer)) {
      const reason =
        `now sends sign-ins to ${ctx.issuer}; \`clientId\` was used with ${issuer} and is not sent anywhere else. ` +
        'If the change is intended, rename the server in mcp.json'
      throw new UpstreamError('CREDENTIAL_REQUIRED', this.serverName, reason)
    }
    return {
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: await clientSecret() }),
      ...(ctx === undefined ? {} : { issuer: ctx.issuer }),
    }
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    // A secret from the configuration is not stored.
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
      // Binds a client from the configuration to the issuer that it was first used with.
      client: clientId === undefined ? client : clientOf(clientId, tokens.issuer),
      tokens,
    }))
  }

  redirectToAuthorization(url: URL): void {
    this.#authorizationUrl = url
  }

  /** The page where the person signs in; `null` if there is none. */
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
      // The store may be unlocked later.
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
      const stopRedacting = this.#redacted.get(secret) ?? this.#options.hide?.(secret) ?? (() => {})
      // The most recently used are last.
      this.#redacted.delete(secret)
      this.#redacted.set(secret, stopRedacting)
    }
    const old = [...this.#redacted].slice(0, -maxRedacted)
    for (const [secret, stopRedacting] of old) {
      this.#redacted.delete(secret)
      stopRedacting()
    }
    return saved
  }
}

function clientOf(clientId: string, issuer: string | undefined): StoredOAuthClientInformation {
  return { client_id: clientId, ...(issuer === undefined ? {} : { issuer }) }
}

/** A trailing slash does not count. */
export function isSameIssuer(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '')
}

function parseSaved(text: string | null): Saved {
  try {
    const { client, tokens } = Object(parseJson(text ?? '{}')) as Record<string, unknown>
    return {
      ...(hasStrings(client, 'client_id', 'client_secret', 'issuer') && {
        client: client as Saved['client'],
      }),
      ...(hasStrings(tokens, 'access_token', 'refresh_token', 'issuer') && {
        tokens: tokens as Saved['tokens'],
      }),
    }
  } catch {
    // Damaged data counts as none.
    return {}
  }
}

/** The first field is required, the others are optional. */
function hasStrings(value: unknown, first: string, ...others: readonly string[]): boolean {
  const fields = Object(value) as Record<string, unknown>
  return (
    typeof fields[first] === 'string' &&
    others.every((name) => fields[name] === undefined || typeof fields[name] === 'string')
  )
}
