import type { Upstream } from '../client/upstream.ts'
import type { ServerSet } from './server-set.ts'

type Servers = Pick<ServerSet, 'upstreams'>

/** The servers of a gateway that pass a test; the same array until it changes. */
export function serversIn(servers: Servers, isIn: (server: string) => boolean): Servers {
  let source: readonly Upstream[] | null = null
  let found: readonly Upstream[] = []
  return {
    get upstreams() {
      const { upstreams } = servers
      if (upstreams !== source) found = upstreams.filter(({ name }) => isIn(name))
      source = upstreams
      return found
    },
  }
}
