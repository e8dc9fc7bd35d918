import { abortable, addressPolicy, type HostPolicy } from '@curfew/core/internal'
import { checkedFetch } from '@curfew/extensions/internal'
import {
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
  isStrictScopeSuperset,
} from '@modelcontextprotocol/client'
import { type AuthorizeOptions, authorize, refresh, type SignInPrompt } from './authorize.ts'
import { documentFetch } from './document-fetch.ts'
import { explainSignIn } from './explain-sign-in.ts'
import type { OAuthProvider } from './oauth-provider.ts'

export interface OAuthSessionOptions {
  readonly provider: OAuthProvider
  readonly prompt?: SignInPrompt | undefined
  /** The setting `fetchAllow`: private addresses that an authorization server may have. @default none */
  readonly fetchAllow?: (() => Promise<readonly string[]>) | undefined
  /** @default the system's resolver */
  readonly lookUp?: HostPolicy['lookUp']
  /** How long a person has to sign in. @default 300_000 */
  readonly timeoutMs?: number | undefined
  /** The timeout of each request to the authorization server. @default 20_000 */
  readonly requestTimeoutMs?: number | undefined
}

/** The token of one server. Concurrent calls whose token was rejected share one renewal. */
export class OAuthSession {
  readonly origin: string
  readonly #options: OAuthSessionOptions
  readonly #stop = new AbortController()
  readonly #listeners = new Set<(asking: boolean) => void>()
  #asking = false
  #renewal: Promise<boolean> | null = null
  /** Every scope that was requested so far: requesting it again would not help. */
  #scope: string | undefined
  #issued: string | undefined
  #accepted: string | undefined

  constructor(options: OAuthSessionOptions) {
    this.#options = options
    this.#scope = options.provider.configuredScope
    this.origin = new URL(options.provider.url).origin
  }

  async token(): Promise<string | undefined> {
    try {
      return (await this.#options.provider.tokens())?.access_token
    } catch {
      // A server that needs no token works without the store; one that does responds with 401.
      return undefined
    }
  }

  /** Reports whether a person is being asked, so that timers can be paused. Returns an unsubscribe function. */
  onAsking(listener: (asking: boolean) => void): () => void {
    this.#listeners.add(listener)
    if (this.#asking) listener(true)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Returns whether the request should be sent again. */
  async renew(
    response: Response,
    used: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response)
    const needsMore = response.status === 403 && error === 'insufficient_scope'
    if (response.status !== 401) this.#accepted = used
    if (response.status !== 401 && !needsMore) return false
    this.#renewal ??= this.#run({ used, needsMore, scope, resourceMetadataUrl })
    // If the caller is cancelled, the sign-in continues: a person may be in the middle of it.
    return await abortable(this.#renewal, signal ?? this.#stop.signal)
  }

  /** Cancels a sign-in in progress. */
  close(): void {
    this.#stop.abort()
  }

  async #run(renewal: Renewal): Promise<boolean> {
    const { provider } = this.#options
    try {
      // Another call or process may have renewed it already.
      await provider.reload()
      const current = await this.token()
      if (current !== undefined && current !== renewal.used) return true
      if (!this.#mayHelp(renewal)) return false
      await this.#signIn(renewal)
      this.#issued = await this.token()
      return true
    } catch (error) {
      throw explainSignIn(error, provider)
    } finally {
      this.#renewal = null
    }
  }

  /** A scope is not requested twice, and a new token that is rejected immediately is not renewed. */
  #mayHelp({ used, needsMore, scope }: Renewal): boolean {
    if (needsMore) return isStrictScopeSuperset(scope, this.#scope)
    return used === undefined || used !== this.#issued || used === this.#accepted
  }

  async #signIn({ needsMore, scope, resourceMetadataUrl }: Renewal): Promise<void> {
    const { provider, prompt, timeoutMs, fetchAllow, lookUp } = this.#options
    const hosts = { policy: addressPolicy((await fetchAllow?.()) ?? [], this.origin), lookUp }
    const granted = needsMore ? (await provider.tokens())?.scope : undefined
    this.#scope = computeScopeUnion(this.#scope, granted, scope)
    const options: AuthorizeOptions = {
      provider,
      fetch: documentFetch(this.#fetchFrom(hosts)),
      hosts,
      prompt,
      timeoutMs,
      scope: this.#scope,
      resourceMetadataUrl,
      signal: this.#stop.signal,
    }
    if (!needsMore && (await refresh(options))) return
    this.#setAsking(true)
    try {
      await authorize(options)
    } finally {
      this.#setAsking(false)
    }
  }

  /** The server chooses the URLs. A renewal has its own timeout, because calls with different deadlines share it. */
  #fetchFrom(hosts: HostPolicy): FetchLike {
    const { requestTimeoutMs = 20_000 } = this.#options
    return (url, init) => {
      const signals = [AbortSignal.timeout(requestTimeoutMs), this.#stop.signal]
      const signal = AbortSignal.any(init?.signal ? [...signals, init.signal] : signals)
      return checkedFetch(url, { ...init, signal }, hosts)
    }
  }

  #setAsking(asking: boolean): void {
    this.#asking = asking
    for (const listener of this.#listeners) listener(asking)
  }
}

interface Renewal {
  /** The rejected token. */
  readonly used: string | undefined
  /** The token is valid but lacks a scope. */
  readonly needsMore: boolean
  readonly scope: string | undefined
  readonly resourceMetadataUrl: URL | undefined
}
