import { hostUse } from '@curfew/extensions/internal'
import { fillReference } from '../../config/reference.ts'
import type { HttpTarget, ServerConfig } from '../../config/server-config.ts'
import type { OpenSignIn } from './authorize.ts'
import { OAuthProvider } from './oauth-provider.ts'
import { OAuthSession } from './oauth-session.ts'
import { secretNameOf, type TokenStore } from './token-store.ts'

export interface SignInOptions {
  readonly store: TokenStore
  /** For the secret of a client that was registered by hand; `use` is the server that it is for: `host:mcp.example.com`. */
  readonly readSecret: (name: string, use: string) => Promise<string>
  /** Without it, somebody who has to sign in is told where. */
  readonly open?: OpenSignIn | undefined
  /** Called with every token, so that it can be kept out of what is shown. Returns what forgets it. */
  readonly hide?: ((value: string) => () => void) | undefined
}

/**
 * Gives the session of a server; `undefined` for one that nobody signs in to. There is one for each, however often it
 * is connected to.
 */
export function createSignIn(options: SignInOptions): (config: ServerConfig) => OAuthSession | undefined {
  const sessions = new Map<string, OAuthSession>()
  return ({ name, target }) => {
    if (target.kind === 'stdio' || hasOwnKey(target)) return undefined
    const key = secretNameOf({ serverName: name, url: target.url })
    const session = sessions.get(key) ?? openSession(name, target, options)
    sessions.set(key, session)
    return session
  }
}

function openSession(serverName: string, target: HttpTarget, options: SignInOptions): OAuthSession {
  const { store, open, hide, readSecret } = options
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
    open,
  })
}

/** Who says in the configuration what to show the server does not sign in. */
function hasOwnKey({ headers, address, oauth }: HttpTarget): boolean {
  const isShown = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  return oauth === undefined && (isShown || address !== undefined)
}
