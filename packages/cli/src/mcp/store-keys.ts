import type { SecretStore } from '@curfew/extensions'
import type { RawServerEntry } from '@curfew/mcp/config'
import { findKeys, type PlainKey, replaceKeys, secretUse } from './plain-keys.ts'

/** Stores a server's keys as secrets, bound to that server or its host. Returns the entry with references, and the secrets' names. */
export async function storeKeys(
  store: SecretStore,
  server: string,
  entry: RawServerEntry,
  project: string | null,
): Promise<{ readonly entry: RawServerEntry; readonly stored: readonly string[] }> {
  const use = secretUse(server, entry, project)
  const names = new Map<string, string>()
  for (const key of findKeys(server, entry)) {
    if (!names.has(key.value)) names.set(key.value, await storeKey(store, key, use))
  }
  const named = replaceKeys(server, entry, ({ value }) => names.get(value)!)
  return { entry: named, stored: [...names.values()] }
}

/** If another secret has the name, uses the next free one. */
async function storeKey(store: SecretStore, { name, value }: PlainKey, use: string): Promise<string> {
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}_${count}`
    const known = await store.get(candidate)
    if (known === null) {
      await store.set(candidate, { value, uses: [use] })
      return candidate
    }
    if (known.value !== value) continue
    const withUse = ({ uses }: typeof known): typeof known => ({ value, uses: [...new Set([...uses, use])] })
    await store.update(candidate, withUse)
    return candidate
  }
}
