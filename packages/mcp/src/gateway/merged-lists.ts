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

interface Owned<T> {
  readonly upstream: Upstream
  readonly item: T
}

/** The prompts and resources of all servers as one list, and who has which. Of two with one URI the first counts. */
export class MergedLists {
  readonly #upstreams: readonly Upstream[]
  /** Those that `#built` was made of. */
  #listings: readonly (ServerListing | null)[] = []
  readonly #built = new Map<string, unknown>()

  constructor(upstreams: readonly Upstream[]) {
    this.#upstreams = upstreams
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

  /** Whether some server has just this in its lists, so that no other need be asked for. */
  isListed(method: ForwardedMethod, params: JsonObject): boolean {
    const ref = (method === 'completion/complete' ? params.ref : params) as {
      readonly name?: string
      readonly uri?: string
    }
    if (ref.uri === undefined) return this.#prompts().has(String(ref.name))
    return this.#byKey('resources', ({ uri }) => uri).has(ref.uri)
  }

  /** Who answers a request, and how it is put there. */
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

  /** Who has a prompt, and what it is called there. */
  ownerOfPrompt(name: string): { readonly upstream: Upstream; readonly name: string } {
    const owned = this.#prompts().get(name)
    if (owned === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${JSON.stringify(name)}`)
    return { upstream: owned.upstream, name: owned.item.name }
  }

  /** Who has a resource: whoever lists it, has a template for it, or is the only one with resources at all. */
  ownerOfResource(uri: string): Upstream {
    const listed = this.#byKey('resources', (resource) => resource.uri).get(uri)
    if (listed !== undefined) return listed.upstream
    const templates = this.#byKey('templates', ({ uriTemplate }) => uriTemplate)
    for (const [template, { upstream }] of templates)
      if (template === uri || matchesTemplate(template, uri)) return upstream
    const withResources = this.#upstreams.filter(
      ({ listing }) => listing?.capabilities.resources !== undefined,
    )
    if (withResources.length === 1) return withResources[0]!
    throw new ResourceNotFoundError(uri)
  }

  /** Made once for the lists as they are now: they may be long, and each request looks at them. */
  #kept<T>(what: string, build: () => T): T {
    const listings = this.#upstreams.map(({ listing }) => listing)
    if (listings.some((listing, index) => listing !== this.#listings[index])) this.#built.clear()
    this.#listings = listings
    if (!this.#built.has(what)) this.#built.set(what, build())
    return this.#built.get(what) as T
  }

  #prompts(): Map<string, Owned<Prompt>> {
    return this.#kept('prompts', () => this.#buildPrompts())
  }

  /** A prompt keeps its name unless another server's has it already. */
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
    return this.#kept(list, () => {
      const found = new Map<string, Owned<ServerListing[K][number]>>()
      for (const owned of this.#all(list)) {
        const key = keyOf(owned.item)
        if (!found.has(key)) found.set(key, owned)
      }
      return found
    })
  }

  #all<K extends 'prompts' | 'resources' | 'templates'>(list: K): Owned<ServerListing[K][number]>[] {
    return this.#upstreams.flatMap((upstream) =>
      (upstream.listing?.[list] ?? []).map((item) => ({ upstream, item: item as ServerListing[K][number] })),
    )
  }
}
