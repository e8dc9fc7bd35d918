import { toolUse } from '@curfew/core/internal'
import { hostUse } from '@curfew/extensions/internal'
import type { ServerConfig } from './server-config.ts'

/** Where a server runs, and who configured it. */
interface ServerOrigin {
  readonly name: string
  /** The URL of a remote server, otherwise `null`. */
  readonly url: URL | null
  /** The `.curfew` directory of the project that defines it; `null` for one of the user's. */
  readonly project: string | null
}

/** What the secrets of an MCP server are bound to: the host of a remote server, otherwise the server itself. */
export function serverUse({ name, url, project }: ServerOrigin): string {
  return url === null ? toolUse(`mcp__${name}`, project) : hostUse(url)
}

export function secretUseOf({ name, root, ofProject = false, target }: ServerConfig): string {
  const url = target.kind === 'stdio' ? null : new URL(target.url)
  return serverUse({ name, url, project: ofProject ? root : null })
}
