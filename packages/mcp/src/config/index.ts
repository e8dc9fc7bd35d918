/** `@curfew/mcp/config`: the servers of `mcp.json`, without the MCP SDK. */
export { type AddServerOptions, addServer, type RawServerEntry } from './add-server.ts'
export { removeServer, setServerDisabled } from './edit-server-file.ts'
export { isCurfewCommand } from './is-curfew-command.ts'
export {
  describeUnused,
  type LoadedServers,
  loadServers,
  mcpFileName,
  mergeServerFiles,
  missingVariables,
  readServerFiles,
  type ServerFile,
} from './load-servers.ts'
export { mcpSchema } from './mcp-schema.ts'
export { defaultStartTimeoutMs, readServer } from './read-server.ts'
export {
  fillReference,
  mentionsSecret,
  parseReference,
  type Reference,
  secretNames,
  showReference,
} from './reference.ts'
export { secretUseOf, serverUse } from './secret-use.ts'
export {
  type HttpTarget,
  type OAuthSettings,
  type ServerConfig,
  type StdioTarget,
  serverDefaults,
} from './server-config.ts'
export { serverKey } from './server-key.ts'
export { serverNameProblem } from './server-name.ts'
export { type PendingChange, ServerReload } from './server-reload.ts'
