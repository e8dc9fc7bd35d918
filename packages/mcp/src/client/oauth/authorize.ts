import { abortable, type HostPolicy, resolveHost, systemClock } from '@curfew/core/internal'
import { isLoopback } from '@curfew/extensions/internal'
import { auth, type FetchLike, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client'
import { UpstreamError } from '../errors/upstream-error.ts'
import { type CallbackListener, openCallbackListener } from './callback-listener.ts'
import type { OAuthProvider } from './oauth-provider.ts'

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
  const { provider, prompt, hosts } = options
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
    const request = authOptions(options)
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

/** Refreshes the tokens. Returns false if a person has to sign in. */
export async function refresh(options: AuthorizeOptions): Promise<boolean> {
  const { provider } = options
  provider.begin()
  const before = await provider.tokens()
  if (before?.refresh_token === undefined) return false
  const request = authOptions(options)
  let failure: unknown
  const fetch: FetchLike = async (url, init) => {
    try {
      const response = await options.fetch(url, init)
      if (response.status >= 500)
        failure ??= new Error(`the authorization server failed (${response.status})`)
      return response
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  if ((await auth(provider, { ...request, fetchFn: fetch })) === 'AUTHORIZED') return true
  // The SDK asks a person after every failure; a temporary one is rethrown instead.
  if (failure !== undefined && (await provider.tokens())?.refresh_token === before.refresh_token)
    throw failure
  return false
}

type AuthRequest = Parameters<typeof auth>[1]

function authOptions({ provider, fetch, scope, resourceMetadataUrl }: AuthorizeOptions): AuthRequest {
  return {
    serverUrl: provider.url,
    fetchFn: fetch,
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  }
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
