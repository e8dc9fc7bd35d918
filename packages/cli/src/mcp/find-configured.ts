import { dirname } from 'node:path'
import { configRoots } from '@curfew/extensions'
import { loadServers, type ServerConfig } from '@curfew/mcp/config'

export interface ConfiguredServer extends Pick<ServerConfig, 'name' | 'file' | 'root'> {
  readonly isDisabled: boolean
}

/** The server with this name, which may be disabled; `null` if there is none here, or its entry is invalid. */
export async function findConfigured(name: string): Promise<ConfiguredServer | null> {
  const { servers, unused } = await loadServers(configRoots())
  const found = servers.find((server) => server.name === name)
  if (found !== undefined) return { name, file: found.file, root: found.root, isDisabled: false }
  const off = unused.find((server) => server.name === name)
  return off === undefined ? null : { name, file: off.file, root: dirname(off.file), isDisabled: true }
}
