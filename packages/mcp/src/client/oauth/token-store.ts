import { createHash } from 'node:crypto'
import type { SecretStore } from '@curfew/extensions'

/** Identifies the tokens of a server by name and URL: no other server gets them. */
export interface TokenKey {
  readonly serverName: string
  readonly url: string
}

/** Stores tokens. */
export interface TokenStore {
  read(key: TokenKey): Promise<string | null>
  /** `null` deletes it. */
  write(key: TokenKey, value: string | null): Promise<void>
}

/** Stores tokens with the other secrets: in the keychain or the encrypted file. */
export function secretTokenStore(open: () => Promise<SecretStore>): TokenStore {
  return {
    async read(key) {
      const store = await open()
      const stored = await store.get(secretNameOf(key))
      // The name contains a short hash of values that others may choose; the use is exact.
      return stored?.uses.includes(signInUse(key)) ? stored.value : null
    },
    async write(key, value) {
      const store = await open()
      const name = secretNameOf(key)
      if (value === null) await store.remove(name)
      else await store.set(name, { value, uses: [signInUse(key)] })
    },
  }
}

/** No tool has this use, so no tool gets the tokens by declaring them as its secret. */
function signInUse({ url }: TokenKey): string {
  const { origin, pathname } = new URL(url)
  return `sign-in:${origin}${pathname}`
}

/** Readable in a list of secrets, and unique per server and URL. */
export function secretNameOf({ serverName, url }: TokenKey): string {
  const readable = serverName
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .slice(0, 80)
  const whole = `${serverName} ${new URL(url).href}`
  const exact = createHash('sha256').update(whole).digest('hex').slice(0, 12).toUpperCase()
  return `MCP_${readable}_TOKENS_${exact}`
}
