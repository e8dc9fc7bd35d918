import type { Upstream } from '../client/upstream.ts'
import type { ServerSet } from './server-set.ts'

/** The servers of a gateway that pass a test; the same array until it changes. */
export class ServersIn implements Pick<ServerSet, 'upstreams'> {
  readonly #servers: Pick<ServerSet, 'upstreams'>
  readonly #isIn: (server: string) => boolean
  #source: readonly Upstream[] | null = null
  #upstreams: readonly Upstream[] = []

  constructor(servers: Pick<ServerSet, 'upstreams'>, isIn: (server: string) => boolean) {
    this.#servers = servers
    this.#isIn = isIn
  }

  get upstreams(): readonly Upstream[] {
    const { upstreams } = this.#servers
    if (upstreams !== this.#source) this.#upstreams = upstreams.filter(({ name }) => this.#isIn(name))
    this.#source = upstreams
    return this.#upstreams
  }
}
