import { toolUse } from '@curfew/core/internal'
import { hostUse } from '@curfew/extensions/internal'
import type { ServerConfig } from './server-config.ts'

/** Where a server is, and whose file says so. */
interface ServerPlace {
  readonly name: string
  /** Of a remote server. */
  readonly url: URL | null
  /** The `.curfew` of the project that defines it; `null` for one of the user's own. */
  readonly project: string | null
}

/** Who gets the secrets of an MCP server: the host of a remote one, otherwise the server itself. */
export function serverUse({ name, url, project }: ServerPlace): string {
  return url === null ? toolUse(`mcp__${name}`, project) : hostUse(url)
}

export function secretUseOf({ name, root, ofProject = false, target }: ServerConfig): string {
  const url = target.kind === 'stdio' ? null : new URL(target.url)
  return serverUse({ name, url, project: ofProject ? root : null })
}
