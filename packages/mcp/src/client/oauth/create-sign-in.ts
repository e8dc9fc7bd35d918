import { hostUse } from '@curfew/extensions/internal'
import { fillReference } from '../../config/reference.ts'
import type { HttpTarget, ServerConfig } from '../../config/server-config.ts'
import { OAuthProvider } from './oauth-provider.ts'
import { OAuthSession, type OAuthSessionOptions } from './oauth-session.ts'
import { secretNameOf, type TokenStore } from './token-store.ts'

export interface SignInOptions extends Pick<OAuthSessionOptions, 'prompt' | 'fetchAllow'> {
  readonly store: TokenStore
  /** Reads the secret of a client that was registered manually; `use` is the server that it is for: `host:mcp.example.com`. */
  readonly readSecret: (name: string, use: string) => Promise<string>
  /** Called with every token, to redact it. Returns a function that stops redacting it. */
  readonly hide?: ((value: string) => () => void) | undefined
}

/** Returns the OAuth session of a server, one for all its connections; `undefined` for a server without a sign-in. */
export function createSignIn(options: SignInOptions): (config: ServerConfig) => OAuthSession | undefined {
  const sessions = new Map<string, OAuthSession>()
  return ({ name, target }) => {
    if (target.kind === 'stdio' || hasCredential(target)) return undefined
    const key = secretNameOf({ serverName: name, url: target.url })
    const session = sessions.get(key) ?? openSession(name, target, options)
    sessions.set(key, session)
    return session
  }
}

function openSession(serverName: string, target: HttpTarget, options: SignInOptions): OAuthSession {
  const { store, prompt, fetchAllow, hide, readSecret } = options
  const { url, oauth = {} } = target
  const { clientId, clientMetadataUrl, clientSecret: secret, scopes } = oauth
  const read = (name: string): Promise<string> => readSecret(name, hostUse(new URL(url)))
  const clientSecret = secret && (() => fillReference(secret, read))
  return new OAuthSession({
    provider: new OAuthProvider({
      serverName,
      url,
      store,
      clientId,
      clientSecret,
      clientMetadataUrl,
      scopes,
      hide,
    }),
    prompt,
    fetchAllow,
  })
}

/** A server whose configuration contains a credential needs no sign-in. */
function hasCredential({ headers, address, oauth }: HttpTarget): boolean {
  const hasAuthorization = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  return oauth === undefined && (hasAuthorization || address !== undefined)
}
