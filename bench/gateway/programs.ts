import { fileURLToPath } from 'node:url'

export type Argv = readonly [string, ...string[]]

/** The servers behind the gateways. */
export const everything: Argv = program(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
)
export const filesystem: Argv = program(
  import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
)
export const memory: Argv = program(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'))
export const sequentialThinking: Argv = program(
  import.meta.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
)

export const curfew: Argv = [...program('../../packages/cli/bin/curfew.cjs'), 'mcp']
export const mcpProxy: Argv = program('../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs')
export const supergateway: Argv = program('../node_modules/supergateway/dist/index.js')
export const mcpHub: Argv = program('../node_modules/mcp-hub/dist/cli.js')

/** All run on the same version of Node. */
function program(file: string): Argv {
  return [process.execPath, fileURLToPath(new URL(file, import.meta.url))]
}
