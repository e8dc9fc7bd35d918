import { createHash } from 'node:crypto'
import type { SecretStore } from '@curfew/extensions'

/** Whose tokens: those of a server never go to another of the same name, or at the same URL. */
export interface TokenKey {
  readonly serverName: string
  readonly url: string
}

/** Where what was signed in for is kept. */
export interface TokenStore {
  read(key: TokenKey): Promise<string | null>
  /** `null` forgets it. */
  write(key: TokenKey, value: string | null): Promise<void>
}

/** Keeps tokens where the other secrets are: in the keychain, or the encrypted file. */
export function secretTokenStore(open: () => Promise<SecretStore>): TokenStore {
  return {
    async read(key) {
      const store = await open()
      const kept = await store.get(secretNameOf(key))
      // The name is a short hash of names and URLs that somebody else may choose; this is exact.
      return kept?.uses.includes(signInUse(key)) ? kept.value : null
    },
    async write(key, value) {
      const store = await open()
      const name = secretNameOf(key)
      if (value === null) await store.remove(name)
      else await store.set(name, { value, uses: [signInUse(key)] })
    },
  }
}

/** No tool has this use, so none is given the tokens by naming them among its secrets. */
function signInUse({ url }: TokenKey): string {
  const { origin, pathname } = new URL(url)
  return `sign-in:${origin}${pathname}`
}

/** Readable in a list of secrets, and different for every server and URL. */
export function secretNameOf({ serverName, url }: TokenKey): string {
  const readable = serverName
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .slice(0, 80)
  const whole = `${serverName} ${new URL(url).href}`
  const exact = createHash('sha256').update(whole).digest('hex').slice(0, 12).toUpperCase()
  return `MCP_${readable}_TOKENS_${exact}`
}
