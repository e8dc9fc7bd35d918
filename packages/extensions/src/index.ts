/** `@curfew/extensions`: configuration, trust, script and API tools, and secret stores. */
export type { ConfigOptions, EffectiveSetting } from './config/config-options.ts'
export { type ConfigProblem, formatProblem } from './config/config-problem.ts'
export {
  type ConfigContext,
  type ConfigRoots,
  configRoots,
  type ProjectRoot,
} from './config/config-roots.ts'
export { type Config, loadConfig } from './config/load-config.ts'
export type { LoadedTool, LoadedTools } from './config/loaded-tools.ts'
export type { ConfiguredModel, ModelEntry, ModelRole, ModelSettings } from './config/model-settings.ts'
export type { ProfileSettings } from './config/profile-settings.ts'
export { setTrust, trustedProjects } from './config/trust.ts'
export { type Extensions, loadExtensions } from './load-extensions.ts'
export { type OpenStoreOptions, openSecretStore, openVault } from './secrets/open-vault.ts'
export type { SecretEntry, SecretStore, StoredSecret } from './secrets/secret-store.ts'
