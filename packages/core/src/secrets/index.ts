export { FileStore } from './file-store.ts'
export { openKeychain } from './keychain-store.ts'
export { isSecretName, type SecretEntry, type SecretStore, type StoredSecret } from './secret-store.ts'
export { environmentVault, type OpenStoreOptions, openSecretStore, StoreVault } from './vault.ts'
