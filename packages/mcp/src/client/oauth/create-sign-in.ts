import { fillReference } from '../../config/reference.ts'
import type { HttpTarget, ServerConfig } from '../../config/server-config.ts'
import type { OpenSignIn } from './authorize.ts'
import { OAuthProvider } from './oauth-provider.ts'
import { OAuthSession } from './oauth-session.ts'
import type { TokenStore } from './token-store.ts'

export interface SignInOptions {
  readonly store: TokenStore
  /** For the secret of a client that was registered by hand. */
  readonly readSecret: (name: string) => Promise<string>
  /** Without it, somebody who has to sign in is told where. */
  readonly open?: OpenSignIn | undefined
  /** Called with every token, so that it can be kept out of what is shown. */
  readonly hide?: ((value: string) => void) | undefined
}

/** The session of a server; `undefined` for one that nobody signs in to. There is one for each, however often it is connected to. */
export type SignIn = (config: ServerConfig) => Promise<OAuthSession | undefined>

export function createSignIn(options: SignInOptions): SignIn {
  const sessions = new Map<string, Promise<OAuthSession>>()
  return async ({ name, target }) => {
    if (target.kind === 'stdio' || hasOwnKey(target)) return undefined
    const key = `${name} ${target.url}`
    const session = sessions.get(key) ?? openSession(name, target, options)
    sessions.set(key, session)
    // A secret that is missing today may be there tomorrow.
    session.catch(() => sessions.delete(key))
    return await session
  }
}

async function openSession(
  serverName: string,
  target: HttpTarget,
  options: SignInOptions,
): Promise<OAuthSession> {
  const { store, open, hide, readSecret } = options
  const { url, oauth = {} } = target
  const { clientId, clientMetadataUrl, scopes } = oauth
  const clientSecret = oauth.clientSecret && (await fillReference(oauth.clientSecret, readSecret))
  const provider = new OAuthProvider({
    serverName,
    url,
    store,
    clientId,
    clientSecret,
    clientMetadataUrl,
    scopes,
    hide,
  })
  return new OAuthSession({ provider, open })
}

/** Who says in the configuration what to show the server does not sign in. */
function hasOwnKey({ headers, oauth }: HttpTarget): boolean {
  return oauth === undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
