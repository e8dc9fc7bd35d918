import { existsSync } from 'node:fs'
import { type OpenStoreOptions, openSecretStore, type SecretStore } from '@curfew/extensions'
import { secretFile } from '@curfew/extensions/internal'
import { secretTokenStore, type UpstreamsOptions } from '@curfew/mcp'

/**
 * Where what somebody signed in for is kept. Most servers want no sign-in: for them nobody is asked for the passphrase of
 * a store that is not there yet, and one that cannot be opened holds nothing.
 */
export function signInTokens(options: OpenStoreOptions): NonNullable<UpstreamsOptions['tokens']> {
  let opened: Promise<SecretStore> | undefined
  const kept = secretTokenStore(() => {
    opened ??= openSecretStore(options).catch((error: unknown) => {
      // It may be opened later: somebody unlocks the keychain.
      opened = undefined
      throw error
    })
    return opened
  })
  const { askPassphrase: _, ...silent } = options
  const peek = secretTokenStore(() => openSecretStore(silent))
  return {
    async read(key) {
      if (opened !== undefined || existsSync(secretFile(options.root))) return await kept.read(key)
      return await peek.read(key).catch(() => null)
    },
    write: (key, value) => kept.write(key, value),
  }
}
