/** Keys in `_meta` that the gateway reads and writes. They are the SDK's, without loading it. */
export const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
export const clientInfoKey = 'io.modelcontextprotocol/clientInfo'
export const logLevelKey = 'io.modelcontextprotocol/logLevel'
export const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion'
export const relatedTaskKey = 'io.modelcontextprotocol/related-task'
