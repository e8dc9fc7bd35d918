import { existsSync } from 'node:fs'
import { type OpenStoreOptions, openSecretStore, type SecretStore } from '@curfew/extensions'
import { secretFile } from '@curfew/extensions/internal'
import { secretTokenStore, type UpstreamsOptions } from '@curfew/mcp'

/**
 * Stores OAuth tokens as secrets. Most servers require no sign-in, so reading never prompts for the passphrase of a store that does not
 * exist yet, and a store that cannot be opened counts as empty.
 */
export function signInTokens(options: OpenStoreOptions): NonNullable<UpstreamsOptions['tokens']> {
  let opened: Promise<SecretStore> | undefined
  const tokens = secretTokenStore(() => {
    opened ??= openSecretStore(options).catch((error: unknown) => {
      // Allows another attempt, for example after the keychain was unlocked.
      opened = undefined
      throw error
    })
    return opened
  })
  const { askPassphrase: _, ...silent } = options
  const silentTokens = secretTokenStore(() => openSecretStore(silent))
  return {
    async read(key) {
      if (opened !== undefined || existsSync(secretFile(options.root))) return await tokens.read(key)
      return await silentTokens.read(key).catch(() => null)
    },
    write: (key, value) => tokens.write(key, value),
  }
}
