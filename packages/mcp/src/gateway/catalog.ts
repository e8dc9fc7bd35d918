import { type Runtime, type Tool, toolView } from '@curfew/core'
import { matchGlob, toolAnnotations, type View } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server'
import {
  requestTool,
  type UpstreamTool,
  type UpstreamToolOptions,
  upstreamTools,
} from '../client/tools/upstream-tools.ts'
import type { Upstream } from '../client/upstream.ts'
import { shorten, usableName } from '../names/tool-names.ts'

export interface CatalogOptions {
  readonly view: View
  /** Only these are served. */
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** A server's tools keep their own names where no other tool has the same. */
  readonly unprefixed: boolean
  /** The longest name that clients take. */
  readonly nameLimit: number
}

/** Served only where there are stubs. */
export const searchToolName = 'search_tools'

/** A tool that is served. */
export interface CatalogEntry {
  /** What clients call it. */
  readonly name: string
  readonly tool: Tool
  /** As its server describes it; `null` for one of our own. */
  readonly upstream: UpstreamTool | null
}

/** Every tool that is served: our own, then those of the servers, always in the same order. */
export class Catalog {
  readonly #runtime: Runtime
  readonly #options: CatalogOptions
  readonly #toolOptions: UpstreamToolOptions
  readonly #own: readonly Tool[]
  readonly #upstreams: readonly Upstream[]
  readonly #tools = new Map<Upstream, readonly UpstreamTool[]>()
  readonly #unregister = new Map<Upstream, () => void>()
  #entries: ReadonlyMap<string, CatalogEntry> = new Map()
  #listed: ReadonlyMap<string, ToolDefinition> = new Map()
  #list: readonly ToolDefinition[] = []

  constructor(
    runtime: Runtime,
    own: readonly Tool[],
    upstreams: readonly Upstream[],
    options: CatalogOptions,
    toolOptions: UpstreamToolOptions,
  ) {
    this.#runtime = runtime
    this.#own = own
    this.#upstreams = upstreams
    this.#options = options
    this.#toolOptions = toolOptions
    runtime.register(own)
    for (const upstream of upstreams) {
      runtime.register(requestTool(upstream, toolOptions))
      this.#register(upstream)
    }
    this.#build()
  }

  get(name: string): CatalogEntry | undefined {
    return this.#entries.get(name)
  }

  /** A tool as it stands in the list. */
  listed(name: string): ToolDefinition | undefined {
    return this.#listed.get(name)
  }

  get entries(): Iterable<CatalogEntry> {
    return this.#entries.values()
  }

  /** For `tools/list`. The same array while nothing changes. */
  get list(): readonly ToolDefinition[] {
    return this.#list
  }

  /** A server has other tools than before. True if that makes a difference to what is listed. */
  update(upstream: Upstream): boolean {
    const before = JSON.stringify(this.#list)
    this.#register(upstream)
    this.#build()
    return JSON.stringify(this.#list) !== before
  }

  #register(upstream: Upstream): void {
    this.#unregister.get(upstream)?.()
    const tools = distinct(upstreamTools(upstream, this.#toolOptions))
    this.#tools.set(upstream, tools)
    this.#unregister.set(upstream, this.#runtime.register(tools.map(({ tool }) => tool)))
  }

  #build(): void {
    const served = [
      ...this.#own.map((tool) => ({ tool, upstream: null })),
      ...this.#upstreams.flatMap((upstream) =>
        (this.#tools.get(upstream) ?? []).map((entry) => ({ tool: entry.tool, upstream: entry })),
      ),
    ]
    const named = served.map((entry) => ({ ...entry, names: this.#namesFor(entry) }))
    const times = new Map<string, number>()
    for (const name of named.flatMap(({ names }) => names)) times.set(name, (times.get(name) ?? 0) + 1)
    const entries = new Map<string, CatalogEntry>()
    for (const { tool, upstream, names } of named) {
      // Two who want the same name have neither: otherwise one could take it over from the other.
      const name = names.find(
        (name) => !entries.has(name) && (times.get(name) === 1 || name === names.at(-1)),
      )
      if (name !== undefined && this.#isServed(name, tool.name)) entries.set(name, { name, tool, upstream })
    }
    this.#entries = entries
    const { view } = this.#options
    this.#listed = new Map([...entries].map(([name, entry]) => [name, definitionOf(entry, view)]))
    this.#list = [...this.#listed.values()]
  }

  /** What it may be called, the nicest first. */
  #namesFor({ tool, upstream }: { tool: Tool; upstream: UpstreamTool | null }): string[] {
    const { unprefixed, nameLimit } = this.#options
    const own = unprefixed && upstream !== null ? [usableName(upstream.definition.name)] : []
    return [...own, tool.name].map((name) => shorten(name, nameLimit))
  }

  #isServed(...names: readonly string[]): boolean {
    const { allow, deny } = this.#options
    const isIn = (globs: readonly string[]): boolean =>
      globs.some((glob) => names.some((name) => matchGlob(glob, name)))
    // Stubs are of no use to whoever cannot look them up.
    return (allow.length === 0 || isIn(allow) || names.includes(searchToolName)) && !isIn(deny)
  }
}

/** Two names of a server may come to the same once they are made usable. */
function distinct(tools: readonly UpstreamTool[]): UpstreamTool[] {
  return [...new Map(tools.map((entry) => [entry.tool.name, entry])).values()]
}

/** How a client is shown a tool. What a server says of its tools is passed on word for word in the full view. */
export function definitionOf({ name, tool, upstream }: CatalogEntry, view: View): ToolDefinition {
  if (view === 'stub' && !tool.alwaysLoad) return { name, inputSchema: { type: 'object' } }
  if (upstream !== null) {
    const { definition } = upstream
    const { annotations, ...rest } = definition
    // A client may skip its own question because of them.
    const hints = upstream.upstream.config.trust && annotations !== undefined && { annotations }
    if (view === 'full') return { ...rest, name, ...hints }
    const { description, inputSchema } = definition
    return { name, ...(description !== undefined && { description }), inputSchema, ...hints }
  }
  const { description, parameters } = toolView(tool, view)
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: { type: 'object', ...parameters },
    annotations: toolAnnotations(tool),
  }
}
