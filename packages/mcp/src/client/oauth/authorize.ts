import { abortable, type HostPolicy, resolveHost, systemClock } from '@curfew/core/internal'
import { isLoopback } from '@curfew/extensions/internal'
import {
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  OAuthErrorCode,
  refreshAuthorization,
  selectResourceURL,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import { UpstreamError } from '../errors/upstream-error.ts'
import { type CallbackListener, openCallbackListener } from './callback-listener.ts'
import { isSameIssuer, type OAuthProvider } from './oauth-provider.ts'

/** Lets the user sign in. */
export interface SignInPrompt {
  /** Asks whether to sign in; until then, no authorization server is requested. Resolves to false if that is not possible. */
  agree(server: SignInServer): Promise<boolean>
  /** Shows the sign-in page. Resolves to false if that is not possible. */
  open(page: SignInServer): Promise<boolean>
}

export interface SignInServer {
  readonly serverName: string
  /** The URL of the MCP server, or of its sign-in page. */
  readonly url: URL
  /** Aborted when the sign-in is over, however it ended. */
  readonly signal: AbortSignal
}

export interface AuthorizeOptions {
  readonly provider: OAuthProvider
  readonly fetch: FetchLike
  /** Which hosts may be requested. */
  readonly hosts: HostPolicy
  /** Without it, the sign-in fails. */
  readonly prompt?: SignInPrompt | undefined
  readonly scope?: string | undefined
  /** The URL of the server's metadata, if it named one. */
  readonly resourceMetadataUrl?: URL | undefined
  readonly signal?: AbortSignal | undefined
  /** How long a person has. @default 300_000 */
  readonly timeoutMs?: number | undefined
}

/** Lets a person sign in: the code is returned to a port on loopback and exchanged for tokens. */
export async function authorize(options: AuthorizeOptions): Promise<void> {
  const { provider, prompt, hosts, scope, resourceMetadataUrl } = options
  const { serverName } = provider
  if (prompt === undefined) throw signInRequired(provider)
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const timer = systemClock.setTimer(options.timeoutMs ?? 300_000, () =>
    stop.abort(signInRequired(provider, ', which was not completed in time')),
  )
  let listener: CallbackListener | undefined
  try {
    const agreed = prompt.agree({ serverName, url: new URL(provider.url), signal })
    if (!(await abortable(agreed, signal))) throw signInRequired(provider)
    listener = await openCallbackListener(await registeredRedirectUrl(provider))
    await prepareClient(provider, listener.redirectUrl)
    const request = {
      serverUrl: provider.url,
      fetchFn: options.fetch,
      ...(scope !== undefined && { scope }),
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    }
    if ((await auth(provider, { ...request, forceReauthorization: true })) === 'AUTHORIZED') return
    const response = listener.wait(provider.state(), signal)
    response.catch(() => {})
    const url = checkedUrl(provider)
    await resolveHost(url, hosts, signal)
    if (!(await prompt.open({ serverName, url, signal }))) throw signInRequired(provider)
    const { code, issuer } = readResponse(provider, await response)
    await auth(provider, { ...request, authorizationCode: code, ...(issuer === null ? {} : { iss: issuer }) })
  } finally {
    systemClock.clearTimer(timer)
    listener?.close()
    stop.abort()
  }
}

/**
 * Refreshes the tokens where they were issued: no other authorization server is requested, and nothing is registered. Returns false if a
 * person has to sign in.
 */
export async function refresh({ provider, fetch, resourceMetadataUrl }: AuthorizeOptions): Promise<boolean> {
  const { url } = provider
  const { issuer, refresh_token: refreshToken } = (await provider.tokens()) ?? {}
  if (issuer === undefined || refreshToken === undefined) return false
  const clientInformation = await provider.clientInformation({ issuer })
  // The server could name any URL.
  const named = resourceMetadataUrl?.origin === new URL(url).origin ? { resourceMetadataUrl } : {}
  const described = await discoverOAuthProtectedResourceMetadata(url, named, fetch).catch(() => undefined)
  const { authorization_servers: issuers = [issuer], resource } = described ?? {}
  if (clientInformation?.issuer !== issuer || !issuers.some((one) => isSameIssuer(one, issuer))) return false
  await selectResourceURL(url, provider, described)
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch })
  let failure: unknown
  const fetchFn: FetchLike = async (...request) => {
    const response = await fetch(...request).catch((error: unknown) => {
      failure = error
      throw error
    })
    if (response.status >= 500) failure = new Error(`the authorization server failed (${response.status})`)
    return response
  }
  const request = {
    clientInformation,
    refreshToken,
    fetchFn,
    ...(metadata && { metadata }),
    ...(resource && { resource }),
  }
  const tokens = await refreshAuthorization(issuer, request).catch(async (error: unknown) => {
    // After a temporary failure, the sign-in is still valid, so do not ask for a new one.
    if (failure !== undefined) throw failure
    await discardRejected(provider, error)
  })
  if (tokens !== undefined) await provider.saveTokens({ ...tokens, issuer })
  return tokens !== undefined
}

async function discardRejected(provider: OAuthProvider, error: unknown): Promise<void> {
  const { code } = Object(error) as { code?: unknown }
  const isClient = code === OAuthErrorCode.InvalidClient || code === OAuthErrorCode.UnauthorizedClient
  if (isClient) await provider.invalidateCredentials('client')
  if (isClient || code === OAuthErrorCode.InvalidGrant) await provider.invalidateCredentials('tokens')
}

async function registeredRedirectUrl(provider: OAuthProvider): Promise<string | undefined> {
  const client = await provider.clientInformation()
  return client !== undefined && 'redirect_uris' in client ? client.redirect_uris[0] : undefined
}

/** A client that was registered with another port is registered again: many servers compare the redirect URL exactly. */
async function prepareClient(provider: OAuthProvider, redirectUrl: string): Promise<void> {
  provider.begin(redirectUrl)
  const client = await provider.clientInformation()
  if (client === undefined || !('redirect_uris' in client)) return
  if (!client.redirect_uris.includes(redirectUrl)) await provider.invalidateCredentials('client')
}

/** The server chose the URL, and it is passed to whatever opens URLs. */
function checkedUrl({ authorizationUrl, serverName }: OAuthProvider): URL {
  const url = authorizationUrl!
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  const reason = `requests the sign-in at ${url.protocol}//${url.host}, which is not secure`
  throw new UpstreamError('CREDENTIAL_REQUIRED', serverName, reason)
}

/** The issuer is validated first: nothing else in a response of another issuer may be used or shown. */
function readResponse(
  provider: OAuthProvider,
  params: URLSearchParams,
): { code: string; issuer: string | null } {
  const metadata = provider.discoveryState()?.authorizationServerMetadata
  const issuer = params.get('iss')
  validateAuthorizationResponseIssuer({
    iss: issuer ?? undefined,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  })
  const code = params.get('code')
  if (code !== null) return { code, issuer }
  const error = params.get('error') ?? 'no code was returned'
  throw new UpstreamError(
    'CREDENTIAL_REQUIRED',
    provider.serverName,
    `rejected the sign-in (${error.slice(0, 100)})`,
  )
}

function signInRequired({ serverName }: OAuthProvider, how = ''): UpstreamError {
  const reason = `requires a sign-in${how}; run \`curfew mcp test ${serverName}\` in a terminal`
  return new UpstreamError('CREDENTIAL_REQUIRED', serverName, reason)
}
