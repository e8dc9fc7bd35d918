import { createHash } from 'node:crypto'
import type { SecretStore } from '@curfew/core/secrets'

/** Where what was signed in for is kept. A key is the name and the URL of a server: a token never goes to another. */
export interface TokenStore {
  read(key: string): Promise<string | null>
  /** `null` forgets it. */
  write(key: string, value: string | null): Promise<void>
}

/** Names the key of a server in a `TokenStore`. */
export function tokenKey(serverName: string, url: string): string {
  return `${serverName} ${new URL(url).href}`
}

/** Keeps tokens where the other secrets are: in the keychain, or the encrypted file. */
export function secretTokenStore(open: () => Promise<SecretStore>): TokenStore {
  return {
    async read(key) {
      const store = await open()
      return (await store.get(secretNameOf(key)))?.value ?? null
    },
    async write(key, value) {
      const store = await open()
      const name = secretNameOf(key)
      if (value === null) await store.remove(name)
      else await store.set(name, { value, uses: [`host:${hostOf(key)}`] })
    },
  }
}

/** Readable in a list of secrets, and different for every server and URL. */
export function secretNameOf(key: string): string {
  const readable = key
    .slice(0, key.lastIndexOf(' '))
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .slice(0, 80)
  const exact = createHash('sha256').update(key).digest('hex').slice(0, 12).toUpperCase()
  return `MCP_${readable}_TOKENS_${exact}`
}

function hostOf(key: string): string {
  return new URL(key.slice(key.lastIndexOf(' ') + 1)).host
}
