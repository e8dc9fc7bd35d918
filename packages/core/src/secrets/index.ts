export { parseUse } from './describe-use.ts'
export { openKeychain } from './keychain-store.ts'
export {
  isSecretName,
  type SecretEntry,
  type SecretStore,
  type StoredSecret,
  shortestSecret,
} from './secret-store.ts'
export { environmentVault, type OpenStoreOptions, openSecretStore, openVault, secretFile } from './vault.ts'
