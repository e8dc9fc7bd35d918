import type { ServerConfig } from '../../config/server-config.ts'
import type { OpenUrl } from './authorize.ts'
import { OAuthProvider } from './oauth-provider.ts'
import { OAuthSession } from './oauth-session.ts'
import type { TokenStore } from './token-store.ts'

export interface SignInOptions {
  readonly tokens: TokenStore
  /** Shows a person where to sign in to this server; `false` if there is nobody. */
  readonly openUrl?: ((server: string, ...args: Parameters<OpenUrl>) => ReturnType<OpenUrl>) | undefined
  readonly hideSecret?: ((name: string, value: string) => void) | undefined
}

/** For a server that may want a person to sign in; `undefined` for one that is shown a key of its own. */
export function createOAuthSession(
  { name, target }: ServerConfig,
  clientSecret: string | undefined,
  onPerson: (until: AbortSignal) => void,
  { tokens, openUrl, hideSecret }: SignInOptions,
): OAuthSession | undefined {
  if (target.kind === 'stdio') return undefined
  if (Object.keys(target.headers).some((header) => header.toLowerCase() === 'authorization')) return undefined
  const { clientId, clientMetadataUrl, scopes } = target.oauth ?? {}
  const provider = new OAuthProvider({
    serverName: name,
    url: target.url,
    store: tokens,
    clientId,
    clientSecret,
    clientMetadataUrl,
    scopes,
    hide: (value) => hideSecret?.(`of ${name}`, value),
  })
  return new OAuthSession({
    provider,
    openUrl:
      openUrl &&
      ((url, signal) => {
        onPerson(signal)
        return openUrl(name, url, signal)
      }),
  })
}
