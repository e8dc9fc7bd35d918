import type { Runtime, Tool } from '@curfew/core'
import { matchGlob, searchToolName, type View } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server'
import {
  requestTool,
  type UpstreamTool,
  type UpstreamToolOptions,
  upstreamTools,
} from '../client/tools/upstream-tools.ts'
import type { Upstream } from '../client/upstream.ts'
import { type NameStyle, servedNames, shorten } from '../names/tool-names.ts'
import { callToolName } from './call-tool.ts'
import { listedDefinition } from './listed-definition.ts'
import type { ServerSet } from './server-set.ts'

type Servers = Pick<ServerSet, 'upstreams'>

export interface CatalogOptions {
  readonly view: View
  /** Globs of the tools to serve. @default all */
  readonly include: readonly string[]
  /** Globs of tools that are not served. */
  readonly exclude: readonly string[]
  /** How the tools of servers are named for clients. */
  readonly names: NameStyle
  /** The maximum length of a name that clients accept. */
  readonly nameLimit: number
}

/** A tool that is served. */
export interface CatalogEntry {
  /** Its name for clients. */
  readonly name: string
  readonly tool: Tool
  /** `null` for a tool of the gateway itself. */
  readonly upstream: UpstreamTool | null
}

/** Every served tool: those of the gateway, then those of the servers, always in the same order. */
export class Catalog {
  readonly #runtime: Runtime
  readonly #options: CatalogOptions
  readonly #toolOptions: UpstreamToolOptions
  readonly #gatewayTools: readonly Tool[]
  readonly #servers: Servers
  readonly #tools = new Map<Upstream, readonly UpstreamTool[]>()
  readonly #unregister = new Map<Upstream, () => void>()
  #entries: ReadonlyMap<string, CatalogEntry> = new Map()
  /** By a name that is not listed; `null` if several tools have it. */
  #aliases: ReadonlyMap<string, CatalogEntry | null> = new Map()
  #listed: ReadonlyMap<string, ToolDefinition> = new Map()
  #list: readonly ToolDefinition[] = []
  /** The list as it was last built, to see whether it has changed. */
  #json = ''
  #isShortened = false

  constructor(
    runtime: Runtime,
    gatewayTools: readonly Tool[],
    servers: Servers,
    options: CatalogOptions,
    toolOptions: UpstreamToolOptions,
  ) {
    this.#runtime = runtime
    this.#gatewayTools = gatewayTools.map(toolOptions.effective ?? ((tool) => tool))
    this.#servers = servers
    this.#options = options
    this.#toolOptions = toolOptions
    runtime.register(gatewayTools)
    for (const upstream of servers.upstreams) this.#register(upstream)
    this.#build()
  }

  get(name: string): CatalogEntry | undefined {
    return this.#entries.get(name)
  }

  /** A tool by its listed name, its full name, or its name at its server if no other tool has that name: models drop prefixes. */
  find(name: string): CatalogEntry | undefined {
    return this.#entries.get(name) ?? this.#aliases.get(name) ?? undefined
  }

  /** A tool as clients see it. */
  listed(name: string): ToolDefinition | undefined {
    return this.#listed.get(this.find(name)?.name ?? name)
  }

  get entries(): Iterable<CatalogEntry> {
    return this.#entries.values()
  }

  /** The result of `tools/list`; the same array until it changes. */
  get list(): readonly ToolDefinition[] {
    return this.#list
  }

  /** Whether a listed definition lacks something that `search_tools` returns. */
  get isShortened(): boolean {
    return this.#isShortened
  }

  /** Adds the tools of new servers, removes those of removed ones and updates those of the given ones. Returns whether the list has changed. */
  update(...changed: readonly Upstream[]): boolean {
    const { upstreams } = this.#servers
    const before = this.#json
    // First, because a server may be replaced by one with the same tools.
    for (const upstream of this.#tools.keys()) if (!upstreams.includes(upstream)) this.#remove(upstream)
    for (const upstream of upstreams)
      if (!this.#tools.has(upstream) || changed.includes(upstream)) this.#register(upstream)
    this.#build()
    return this.#json !== before
  }

  #register(upstream: Upstream): void {
    this.#remove(upstream)
    const tools = upstreamTools(upstream, this.#toolOptions)
    this.#tools.set(upstream, tools)
    const registered = [requestTool(upstream, this.#toolOptions), ...tools.map(({ tool }) => tool)]
    this.#unregister.set(upstream, this.#runtime.register(registered))
  }

  #remove(upstream: Upstream): void {
    this.#unregister.get(upstream)?.()
    this.#unregister.delete(upstream)
    this.#tools.delete(upstream)
  }

  #build(): void {
    const served = [
      ...this.#gatewayTools.map((tool) => ({ tool, upstream: null })),
      ...this.#servers.upstreams.flatMap((upstream) =>
        (this.#tools.get(upstream) ?? []).map((entry) => ({ tool: entry.tool, upstream: entry })),
      ),
    ]
    const named = served.map((entry) => ({ ...entry, names: this.#namesFor(entry) }))
    const claims = new Map<string, number>()
    for (const name of named.flatMap(({ names }) => names)) claims.set(name, (claims.get(name) ?? 0) + 1)
    const entries = new Map<string, CatalogEntry>()
    for (const { tool, upstream, names } of named) {
      // If two tools claim a name, neither gets it: otherwise one could take it over from the other.
      const name = names.find(
        (name) => !entries.has(name) && (claims.get(name) === 1 || name === names.at(-1)),
      )
      if (name !== undefined && this.#isServed(name, tool.name)) entries.set(name, { name, tool, upstream })
    }
    const { view } = this.#options
    const listed = [...entries.values()].map((entry) => listedDefinition(entry, view))
    this.#isShortened = listed.some(({ isShortened }) => isShortened)
    // If the list contains everything, there is nothing to search for.
    const isNeedless =
      view === 'brief' && !this.#isShortened && entries.get(searchToolName)?.upstream === null
    if (isNeedless) entries.delete(searchToolName)
    this.#entries = entries
    this.#aliases = aliasesOf(entries.values())
    this.#listed = new Map(
      listed
        .map(({ definition }) => [definition.name, definition] as const)
        .filter(([name]) => entries.has(name)),
    )
    this.#list = [...this.#listed.values()]
    this.#json = JSON.stringify(this.#list)
  }

  /** The possible names of a tool, the preferred one first. */
  #namesFor({ tool, upstream }: { tool: Tool; upstream: UpstreamTool | null }): string[] {
    const { names, nameLimit } = this.#options
    if (upstream === null) return [shorten(tool.name, nameLimit)]
    return servedNames({ server: upstream.upstream.name, tool: upstream.definition.name }, names, nameLimit)
  }

  #isServed(...names: readonly string[]): boolean {
    const { include, exclude } = this.#options
    const isIn = (globs: readonly string[]): boolean =>
      globs.some((glob) => names.some((name) => matchGlob(glob, name)))
    // Without them, stubs would be useless.
    const isNeeded = names.some((name) => name === searchToolName || name === callToolName)
    return (include.length === 0 || isIn(include) || isNeeded) && !isIn(exclude)
  }
}

/** The names besides the listed ones that identify a tool. A name of two tools identifies neither. */
export function aliasesOf(entries: Iterable<CatalogEntry>): ReadonlyMap<string, CatalogEntry | null> {
  const aliases = new Map<string, CatalogEntry | null>()
  for (const entry of entries) {
    if (entry.upstream === null) continue
    for (const name of new Set([entry.tool.name, entry.upstream.definition.name]))
      aliases.set(name, aliases.has(name) ? null : entry)
  }
  return aliases
}
