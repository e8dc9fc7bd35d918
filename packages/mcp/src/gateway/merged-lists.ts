import {
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { ServerListing } from '../client/state/server-state.ts'
import type { Upstream } from '../client/upstream.ts'
import type { JsonObject } from './json-object.ts'
import { matchesTemplate } from './matches-template.ts'
import type { ForwardedMethod } from './runtime-calls.ts'
import type { ServerSet } from './server-set.ts'

interface Owned<T> {
  readonly upstream: Upstream
  readonly item: T
}

/** The prompts and resources of all servers as one list each, with their owners. Of two with the same URI, the first counts. */
export class MergedLists {
  readonly #servers: Pick<ServerSet, 'upstreams'>
  /** The servers and listings that `#built` is derived from. */
  #upstreams: readonly Upstream[] = []
  #listings: readonly (ServerListing | null)[] = []
  readonly #built = new Map<string, unknown>()

  constructor(servers: Pick<ServerSet, 'upstreams'>) {
    this.#servers = servers
  }

  /** The lists that differ from those of other servers. */
  changedSince(upstreams: readonly Upstream[]): ('prompts' | 'resources')[] {
    const before = new MergedLists({ upstreams })
    const resourcesOf = (lists: MergedLists): string => JSON.stringify([lists.resources(), lists.templates()])
    return [
      ...(JSON.stringify(before.prompts()) === JSON.stringify(this.prompts()) ? [] : ['prompts' as const]),
      ...(resourcesOf(before) === resourcesOf(this) ? [] : ['resources' as const]),
    ]
  }

  prompts(): Prompt[] {
    return [...this.#prompts()].map(([name, { item }]) => ({ ...item, name }))
  }

  resources(): Resource[] {
    return [...this.#byKey('resources', ({ uri }) => uri).values()].map(({ item }) => item)
  }

  templates(): ResourceTemplateType[] {
    return [...this.#byKey('templates', ({ uriTemplate }) => uriTemplate).values()].map(({ item }) => item)
  }

  /** Whether a server lists exactly this, so that there is no need to wait for other servers. */
  isListed(method: ForwardedMethod, params: JsonObject): boolean {
    const ref = (method === 'completion/complete' ? params.ref : params) as {
      readonly name?: string
      readonly uri?: string
    }
    if (ref.uri === undefined) return this.#prompts().has(String(ref.name))
    return this.#byKey('resources', ({ uri }) => uri).has(ref.uri)
  }

  /** The server for a request, and the parameters in its own terms. */
  ownerOf(
    method: ForwardedMethod,
    params: JsonObject,
  ): { readonly upstream: Upstream; readonly own: JsonObject } {
    if (method === 'prompts/get') {
      const { upstream, name } = this.ownerOfPrompt(String(params.name))
      return { upstream, own: { ...params, name } }
    }
    if (method === 'resources/read')
      return { upstream: this.ownerOfResource(String(params.uri)), own: params }
    const ref = params.ref as { readonly type: string; readonly name?: string; readonly uri?: string }
    if (ref.type === 'ref/resource') return { upstream: this.ownerOfResource(String(ref.uri)), own: params }
    const { upstream, name } = this.ownerOfPrompt(String(ref.name))
    return { upstream, own: { ...params, ref: { ...ref, name } } }
  }

  /** The server of a prompt, and the prompt's name there. */
  ownerOfPrompt(name: string): { readonly upstream: Upstream; readonly name: string } {
    const owned = this.#prompts().get(name)
    if (owned === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${JSON.stringify(name)}`)
    return { upstream: owned.upstream, name: owned.item.name }
  }

  /** The server of a resource: it lists it, has a matching template, or is the only server with resources. */
  ownerOfResource(uri: string): Upstream {
    const listed = this.#byKey('resources', (resource) => resource.uri).get(uri)
    if (listed !== undefined) return listed.upstream
    const templates = this.#byKey('templates', ({ uriTemplate }) => uriTemplate)
    for (const [template, { upstream }] of templates)
      if (template === uri || matchesTemplate(template, uri)) return upstream
    const withResources = this.#servers.upstreams.filter(
      ({ listing }) => listing?.capabilities.resources !== undefined,
    )
    if (withResources.length === 1) return withResources[0]!
    throw new ResourceNotFoundError(uri)
  }

  /** Caches what is derived from the listings, which may be long, until one changes. */
  #cached<T>(list: string, build: () => T): T {
    const { upstreams } = this.#servers
    const listings = upstreams.map(({ listing }) => listing)
    const isCurrent =
      upstreams === this.#upstreams && listings.every((listing, index) => listing === this.#listings[index])
    if (!isCurrent) this.#built.clear()
    this.#upstreams = upstreams
    this.#listings = listings
    if (!this.#built.has(list)) this.#built.set(list, build())
    return this.#built.get(list) as T
  }

  #prompts(): Map<string, Owned<Prompt>> {
    return this.#cached('prompts', () => this.#buildPrompts())
  }

  /** A prompt keeps its name unless a prompt of another server has it already. */
  #buildPrompts(): Map<string, Owned<Prompt>> {
    const prompts = new Map<string, Owned<Prompt>>()
    for (const owned of this.#all('prompts')) {
      const { name } = owned.item
      prompts.set(prompts.has(name) ? `${owned.upstream.name}__${name}` : name, owned)
    }
    return prompts
  }

  #byKey<K extends 'resources' | 'templates'>(
    list: K,
    keyOf: (item: ServerListing[K][number]) => string,
  ): Map<string, Owned<ServerListing[K][number]>> {
    return this.#cached(list, () => {
      const found = new Map<string, Owned<ServerListing[K][number]>>()
      for (const owned of this.#all(list)) {
        const key = keyOf(owned.item)
        if (!found.has(key)) found.set(key, owned)
      }
      return found
    })
  }

  #all<K extends 'prompts' | 'resources' | 'templates'>(list: K): Owned<ServerListing[K][number]>[] {
    return this.#servers.upstreams.flatMap((upstream) =>
      (upstream.listing?.[list] ?? []).map((item) => ({ upstream, item: item as ServerListing[K][number] })),
    )
  }
}
