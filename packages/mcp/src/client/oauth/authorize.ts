import { CurfewError } from '@curfew/core'
import { systemClock } from '@curfew/core/internal'
import { isLoopback } from '@curfew/extensions/internal'
import { auth, type FetchLike, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client'
import { openCallbackListener } from './callback-listener.ts'
import type { OAuthProvider } from './oauth-provider.ts'

/** Shows a person where to sign in. `false`: there is nobody to show it to. */
export type OpenSignIn = (page: SignInPage) => Promise<boolean>

export interface SignInPage {
  readonly serverName: string
  readonly url: URL
  /** Fires when the sign-in is over, however it ended. */
  readonly signal: AbortSignal
}

export interface AuthorizeOptions {
  readonly provider: OAuthProvider
  readonly fetch: FetchLike
  /** Without it nobody can be asked. */
  readonly open?: OpenSignIn | undefined
  readonly scope?: string | undefined
  /** Where the server said that it describes itself. */
  readonly resourceMetadataUrl?: URL | undefined
  readonly signal?: AbortSignal | undefined
  /** How long a person has. @default 300_000 */
  readonly timeoutMs?: number | undefined
}

/** A person signs in: the code comes back to a port on loopback, and is changed for tokens. */
export async function authorize(options: AuthorizeOptions): Promise<void> {
  const { provider, open } = options
  if (open === undefined) throw signInNeeded(provider)
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const listener = await openCallbackListener(await registeredRedirectUrl(provider))
  const timer = systemClock.setTimer(options.timeoutMs ?? 300_000, () => stop.abort(tooLate(provider)))
  try {
    await prepareClient(provider, listener.redirectUrl)
    const request = authOptions(options)
    if ((await auth(provider, { ...request, forceReauthorization: true })) === 'AUTHORIZED') return
    const answer = listener.wait(provider.state(), signal)
    answer.catch(() => {})
    const page = { serverName: provider.serverName, url: checkedUrl(provider), signal }
    if (!(await open(page))) throw signInNeeded(provider)
    const { code, issuer } = readAnswer(provider, await answer)
    await auth(provider, { ...request, authorizationCode: code, ...(issuer === null ? {} : { iss: issuer }) })
  } finally {
    systemClock.clearTimer(timer)
    listener.close()
    stop.abort()
  }
}

/** New tokens for old ones, without a person. False if a person has to sign in. */
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
      if (response.status >= 500) failure ??= new Error(`the sign-in server failed (${response.status})`)
      return response
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  if ((await auth(provider, { ...request, fetchFn: fetch })) === 'AUTHORIZED') return true
  // The SDK takes every failure for a reason to ask a person; one that passes is none.
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

/** A client that was registered with another port is registered anew: many servers insist on it. */
async function prepareClient(provider: OAuthProvider, redirectUrl: string): Promise<void> {
  provider.begin(redirectUrl)
  const client = await provider.clientInformation()
  if (client === undefined || !('redirect_uris' in client)) return
  if (!client.redirect_uris.includes(redirectUrl)) await provider.invalidateCredentials('client')
}

/** A server that is not ours chose it, and it is handed to whatever opens URLs. */
function checkedUrl({ authorizationUrl, serverName }: OAuthProvider): URL {
  const url = authorizationUrl!
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new CurfewError(
    'CREDENTIAL_REQUIRED',
    `${serverName}: the server wants the sign-in at ${url.protocol}//${url.host}, which is not secure`,
  )
}

/** Whose answer it is comes first: nothing else in an answer from somebody else may be believed, or shown. */
function readAnswer(
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
  const why = params.get('error') ?? 'no code came back'
  throw new CurfewError(
    'CREDENTIAL_REQUIRED',
    `${provider.serverName}: the sign-in was refused (${why.slice(0, 100)})`,
  )
}

export function signInNeeded({ serverName }: OAuthProvider): CurfewError {
  return new CurfewError(
    'CREDENTIAL_REQUIRED',
    `${serverName}: somebody has to sign in; run \`curfew mcp test ${serverName}\` in a terminal`,
  )
}

function tooLate({ serverName }: OAuthProvider): CurfewError {
  const again = `run \`curfew mcp test ${serverName}\` to try again`
  return new CurfewError('CREDENTIAL_REQUIRED', `${serverName}: nobody signed in in time; ${again}`)
}
